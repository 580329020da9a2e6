//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
import "C"

import (
	"unsafe"

	"dpukv/verbs"
)

// C receives work requests and completions unchanged. A structure that no longer fits does not
// compile: its index here is not 0, and so out of the array's range.
var (
	_ = [1]int{}[unsafe.Sizeof(verbs.SendWR{})-C.sizeof_struct_shim_send_wr]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.ID)-unsafe.Offsetof(C.struct_shim_send_wr{}.id)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.Local)-
		unsafe.Offsetof(C.struct_shim_send_wr{}.local)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.Remote)-
		unsafe.Offsetof(C.struct_shim_send_wr{}.remote)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.RKey)-unsafe.Offsetof(C.struct_shim_send_wr{}.rkey)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.Imm)-unsafe.Offsetof(C.struct_shim_send_wr{}.imm)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.AH)-unsafe.Offsetof(C.struct_shim_send_wr{}.ah)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.QPN)-unsafe.Offsetof(C.struct_shim_send_wr{}.qpn)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.QKey)-unsafe.Offsetof(C.struct_shim_send_wr{}.qkey)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.Op)-unsafe.Offsetof(C.struct_shim_send_wr{}.op)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SendWR{}.Flags)-
		unsafe.Offsetof(C.struct_shim_send_wr{}.flags)]

	_ = [1]int{}[unsafe.Sizeof(verbs.RecvWR{})-C.sizeof_struct_shim_recv_wr]
	_ = [1]int{}[unsafe.Offsetof(verbs.RecvWR{}.ID)-unsafe.Offsetof(C.struct_shim_recv_wr{}.id)]
	_ = [1]int{}[unsafe.Offsetof(verbs.RecvWR{}.Local)-
		unsafe.Offsetof(C.struct_shim_recv_wr{}.local)]

	_ = [1]int{}[unsafe.Sizeof(verbs.SGE{})-C.sizeof_struct_shim_sge]
	_ = [1]int{}[unsafe.Offsetof(verbs.SGE{}.Addr)-unsafe.Offsetof(C.struct_shim_sge{}.addr)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SGE{}.Length)-unsafe.Offsetof(C.struct_shim_sge{}.length)]
	_ = [1]int{}[unsafe.Offsetof(verbs.SGE{}.LKey)-unsafe.Offsetof(C.struct_shim_sge{}.lkey)]

	_ = [1]int{}[unsafe.Sizeof(verbs.WC{})-C.sizeof_struct_shim_wc]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.ID)-unsafe.Offsetof(C.struct_shim_wc{}.id)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.Bytes)-unsafe.Offsetof(C.struct_shim_wc{}.bytes)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.Imm)-unsafe.Offsetof(C.struct_shim_wc{}.imm)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.QPN)-unsafe.Offsetof(C.struct_shim_wc{}.qpn)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.SrcQPN)-unsafe.Offsetof(C.struct_shim_wc{}.src_qpn)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.Op)-unsafe.Offsetof(C.struct_shim_wc{}.op)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.Status)-unsafe.Offsetof(C.struct_shim_wc{}.status)]
	_ = [1]int{}[unsafe.Offsetof(verbs.WC{}.HasImm)-unsafe.Offsetof(C.struct_shim_wc{}.has_imm)]

	// Both sides share these numbers.
	_ = [1]int{}[verbs.OpWrite-C.SHIM_WRITE]
	_ = [1]int{}[verbs.OpRead-C.SHIM_READ]
	_ = [1]int{}[verbs.Solicited-C.SHIM_SOLICITED]
	_ = [1]int{}[verbs.WCRecvWriteImm-C.SHIM_WC_RECV_WRITE_IMM]
	_ = [1]int{}[verbs.StatusGeneral-C.IBV_WC_GENERAL_ERR]
	_ = [1]int{}[gidRoCEv2-C.IBV_GID_TYPE_ROCE_V2]
)
