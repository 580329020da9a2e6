//go:build linux && (amd64 || arm64) && !static

package ibverbs

// These are the structures of infiniband/verbs.h and infiniband/mlx5dv.h that only copies by a
// device's DMA engine need. TestLayout compares them with the headers.

//lint:file-ignore U1000 fields that no code reads keep the places of those it reads

// ibvCompChannel is the start of struct ibv_comp_channel.
type ibvCompChannel struct {
	context uintptr
	fd      int32
}

// ibvQPInitAttrEx is struct ibv_qp_init_attr_ex.
type ibvQPInitAttrEx struct {
	qpContext, sendCQ, recvCQ, srq uintptr
	cap                            ibvQPCap
	qpType, sqSigAll               int32
	compMask                       uint32
	pd, xrcd                       uintptr
	createFlags                    uint32
	maxTSOHeader                   uint16
	_                              [4]uintptr // of RSS
	sourceQPN                      uint32
	sendOpsFlags                   uint64
}

// ibvQPEx is a part of struct ibv_qp_ex: what follows the struct ibv_qp in it. The functions that
// verbs.h has inline are here.
type ibvQPEx struct {
	compMask, wrID      uint64
	wrFlags             uint32
	_                   [17]uintptr
	wrStart, wrComplete uintptr
}

// qpBytes are the sizes of struct ibv_qp. It has locks of the C library, whose sizes differ.
var qpBytes = map[string]uintptr{"amd64": 160, "arm64": 168}

// mlx5Context is the start of struct mlx5dv_context, and has at least its size.
type mlx5Context struct {
	version           uint8
	flags, compMask   uint64
	_                 [13]uint64
	maxWRMemcpyLength uint64
	_                 [16]uint64 // later versions have more
}

// mlx5QPInitAttr is struct mlx5dv_qp_init_attr.
type mlx5QPInitAttr struct {
	compMask     uint64
	createFlags  uint32
	_            [2]uint64 // of DC
	sendOpsFlags uint64
}

// mlx5QPEx is the start of struct mlx5dv_qp_ex.
type mlx5QPEx struct {
	compMask uint64
	_        [10]uintptr
	wrMemcpy uintptr
}

// These are numbers of the two headers. TestConstants compares them.
const (
	initAttrPD           = 1 << 0
	initAttrSendOps      = 1 << 6
	exWithWrite          = 1 << 0
	mlx5MaskMemcpyLength = 1 << 12
	mlx5MaskSendOps      = 1 << 2
	mlx5WithMemcpy       = 1 << 4
	mlx5WCMemcpy         = 137
)
