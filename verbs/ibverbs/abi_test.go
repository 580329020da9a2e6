//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// compilers are C's for each architecture. Go lays out these structures alike on both.
var compilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"}

// checkHeader compiles assertions about infiniband/verbs.h, for each architecture that this machine
// has a compiler and the header for.
func checkHeader(t *testing.T, assertions string) {
	const header = "#include <infiniband/verbs.h>\n#include <infiniband/mlx5dv.h>\n#include <stddef.h>\n"
	for arch, compiler := range compilers {
		t.Run(arch, func(t *testing.T) {
			compile := func(source string) ([]byte, error) {
				cmd := exec.CommandContext(t.Context(), compiler, "-fsyntax-only", "-x", "c", "-")
				cmd.Stdin = strings.NewReader(source)
				return cmd.CombinedOutput()
			}
			if _, err := compile(header); err != nil {
				t.Skipf("%s finds no infiniband/verbs.h (%v): make deps-release", compiler, err)
			}
			if out, err := compile(header + assertions); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// mirrors are the structures, with C's names of the fields whose names differ.
var mirrors = []struct {
	c      string
	mirror any
	whole  bool // it has the size of C's structure, beside the start
	names  map[string]string
}{
	{"struct ibv_device", ibvDevice{}, true, map[string]string{"ops": "_ops"}},
	{"struct ibv_context", ibvContext{}, false, map[string]string{
		"pollCQ": "ops.poll_cq", "reqNotifyCQ": "ops.req_notify_cq",
		"postSend": "ops.post_send", "postRecv": "ops.post_recv",
	}},
	{"struct ibv_qp", ibvQP{}, false, nil},
	{"struct ibv_cq", ibvCQ{}, false, nil},
	{"struct ibv_mr", ibvMR{}, true, nil},
	{
		"struct ibv_device_attr",
		ibvDeviceAttr{},
		true,
		map[string]string{"maxQPWR": "max_qp_wr"},
	},
	{"struct ibv_port_attr", ibvPortAttr{}, true, nil},
	{"struct ibv_global_route", ibvGlobalRoute{}, true, nil},
	{"struct ibv_ah_attr", ibvAHAttr{}, true, nil},
	{"struct ibv_qp_cap", ibvQPCap{}, true, nil},
	{"struct ibv_qp_init_attr", ibvQPInitAttr{}, true, nil},
	{"struct ibv_qp_attr", ibvQPAttr{}, true, nil},
	{"struct ibv_sge", ibvSGE{}, true, nil},
	{"struct ibv_send_wr", ibvSendWR{}, true, map[string]string{
		"target": "wr.rdma.remote_addr", "key": "wr.rdma.rkey", "remoteQKey": "wr.ud.remote_qkey",
	}},
	{"struct ibv_recv_wr", ibvRecvWR{}, true, nil},
	{"struct ibv_wc", ibvWC{}, true, nil},
	{"struct ibv_async_event", ibvAsyncEvent{}, true, nil},
	{"struct ibv_comp_channel", ibvCompChannel{}, false, nil},
	{"struct ibv_qp_init_attr_ex", ibvQPInitAttrEx{}, true, nil},
	{"struct mlx5dv_context", mlx5Context{}, false, nil},
	{"struct mlx5dv_qp_init_attr", mlx5QPInitAttr{}, true, nil},
	{"struct mlx5dv_qp_ex", mlx5QPEx{}, false, nil},
}

// TestLayout compares each named field, and the sizes, with the header.
func TestLayout(t *testing.T) {
	var c strings.Builder
	assert := func(expression string, n uintptr) {
		fmt.Fprintf(&c, "_Static_assert(%s == %d, \"%s\");\n", expression, n, expression)
	}
	for _, m := range mirrors {
		typ := reflect.TypeOf(m.mirror)
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Name == "_" {
				continue
			}
			name := snake(f.Name)
			if other := m.names[f.Name]; other != "" {
				name = other
			}
			assert(fmt.Sprintf("offsetof(%s, %s)", m.c, name), f.Offset)
			assert(fmt.Sprintf("sizeof(((%s *)0)->%s)", m.c, name), f.Type.Size())
		}
		if m.whole {
			assert("sizeof("+m.c+")", typ.Size())
		}
	}
	// A part of a structure, behind one whose size depends on the architecture.
	ex := ibvQPEx{}
	for field, offset := range map[string]uintptr{
		"wr_id": unsafe.Offsetof(ex.wrID), "wr_flags": unsafe.Offsetof(ex.wrFlags),
		"wr_start": unsafe.Offsetof(ex.wrStart), "wr_complete": unsafe.Offsetof(ex.wrComplete),
	} {
		assert("offsetof(struct ibv_qp_ex, "+field+") - sizeof(struct ibv_qp)", offset)
	}
	fmt.Fprintf(&c, "#ifdef __aarch64__\n#define QP %d\n#else\n#define QP %d\n#endif\n", qpBytes["arm64"],
		qpBytes["amd64"])
	c.WriteString("_Static_assert(sizeof(struct ibv_qp) == QP, \"qpBytes\");\n")
	// The members of unions that share a field.
	assert("offsetof(struct ibv_send_wr, wr.ud.ah)", unsafe.Offsetof(ibvSendWR{}.target))
	assert("offsetof(struct ibv_send_wr, wr.ud.remote_qpn)", unsafe.Offsetof(ibvSendWR{}.key))
	checkHeader(t, c.String())
}

// snake is C's name of a field: rdAtomic is rd_atomic, and destQPNum is dest_qp_num.
func snake(name string) string {
	var b strings.Builder
	isUpper := func(i int) bool { return i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	for i := range len(name) {
		if i > 0 && isUpper(i) && (!isUpper(i-1) || i+1 < len(name) && !isUpper(i+1)) {
			b.WriteByte('_')
		}
		b.WriteByte(name[i])
	}
	return strings.ToLower(b.String())
}

// TestConstants compares the numbers with the header.
func TestConstants(t *testing.T) {
	var c strings.Builder
	for name, n := range map[string]int64{
		"IBV_QPT_RC": qptRC, "IBV_QPT_UC": qptUC, "IBV_QPT_UD": qptUD,
		"IBV_QPS_INIT": qpsInit, "IBV_QPS_RTR": qpsRTR, "IBV_QPS_RTS": qpsRTS,
		"IBV_MTU_256": mtu256, "IBV_MTU_4096": mtu4096, "IBV_PORT_ACTIVE": portActive,
		"IBV_LINK_LAYER_ETHERNET": linkLayerEthernet,
		"IBV_ACCESS_LOCAL_WRITE":  accessLocalWrite, "IBV_ACCESS_REMOTE_WRITE": accessRemoteWrite,
		"IBV_ACCESS_REMOTE_READ": accessRemoteRead, "IBV_WC_SUCCESS": wcSuccess,
		"IBV_WC_GENERAL_ERR": wcGeneralErr, "IBV_WC_RECV": wcRecvBit,
		"IBV_WC_RECV_RDMA_WITH_IMM": wcRecvRDMAImm, "IBV_WC_SEND": wcOpSend,
		"IBV_WC_RDMA_WRITE": wcOpRDMAWrite, "IBV_WC_RDMA_READ": wcOpRDMARead,
		"IBV_WC_WITH_IMM": wcFlagWithImm, "IBV_WR_RDMA_WRITE": wrRDMAWrite,
		"IBV_WR_RDMA_WRITE_WITH_IMM": wrRDMAWriteImm, "IBV_WR_SEND": wrSend,
		"IBV_WR_SEND_WITH_IMM": wrSendImm, "IBV_WR_RDMA_READ": wrRDMARead,
		"IBV_SEND_SIGNALED": sendSignaled, "IBV_SEND_SOLICITED": sendSolicited,
		"IBV_SEND_INLINE": sendInline, "IBV_QP_STATE": qpMaskState,
		"IBV_QP_ACCESS_FLAGS": qpMaskAccessFlags, "IBV_QP_PKEY_INDEX": qpMaskPkeyIndex,
		"IBV_QP_PORT": qpMaskPort, "IBV_QP_QKEY": qpMaskQKey, "IBV_QP_AV": qpMaskAV,
		"IBV_QP_PATH_MTU": qpMaskPathMTU, "IBV_QP_TIMEOUT": qpMaskTimeout,
		"IBV_QP_RETRY_CNT": qpMaskRetryCnt, "IBV_QP_RNR_RETRY": qpMaskRNRRetry,
		"IBV_QP_RQ_PSN": qpMaskRQPSN, "IBV_QP_MAX_QP_RD_ATOMIC": qpMaskMaxQPRdAtomic,
		"IBV_QP_MIN_RNR_TIMER": qpMaskMinRNRTimer, "IBV_QP_SQ_PSN": qpMaskSQPSN,
		"IBV_QP_MAX_DEST_RD_ATOMIC": qpMaskMaxDestRdAtomic, "IBV_QP_DEST_QPN": qpMaskDestQPN,
		"IBV_EVENT_CQ_ERR": eventCQErr, "IBV_EVENT_QP_FATAL": eventQPFatal,
		"IBV_EVENT_QP_REQ_ERR": eventQPReqErr, "IBV_EVENT_QP_ACCESS_ERR": eventQPAccessErr,
		"IBV_EVENT_PATH_MIG_ERR": eventPathMigErr, "IBV_EVENT_DEVICE_FATAL": eventDeviceFatal,
		"IBV_EVENT_PORT_ACTIVE": eventPortActive, "IBV_EVENT_PORT_ERR": eventPortErr,
		"IBV_EVENT_LID_CHANGE": eventLIDChange, "IBV_EVENT_PKEY_CHANGE": eventPkeyChange,
		"IBV_EVENT_SM_CHANGE":           eventSMChange,
		"IBV_EVENT_QP_LAST_WQE_REACHED": eventQPLastWQEReached,
		"IBV_EVENT_CLIENT_REREGISTER":   eventClientReregister,
		"IBV_EVENT_GID_CHANGE":          eventGIDChange,
		"IBV_QP_INIT_ATTR_PD":           initAttrPD, "IBV_QP_INIT_ATTR_SEND_OPS_FLAGS": initAttrSendOps,
		"IBV_QP_EX_WITH_RDMA_WRITE":               exWithWrite,
		"MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH":    mlx5MaskMemcpyLength,
		"MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS": mlx5MaskSendOps,
		"MLX5DV_QP_EX_WITH_MEMCPY":                mlx5WithMemcpy, "MLX5DV_WC_MEMCPY": mlx5WCMemcpy,
	} {
		fmt.Fprintf(&c, "_Static_assert(%s == %d, \"%s\");\n", name, n, name)
	}
	checkHeader(t, c.String())
}
