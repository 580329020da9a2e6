package submode

import (
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/placement/submode/packetfilter"
	"dpukv/verbs"
)

// Requests describes HERD's requests over RoCE v2 on the path. HERD gives the queue pair to a
// worker a flow label of its own, and the UDP source port follows from it.
func Requests() *packetfilter.Requests {
	return &packetfilter.Requests{
		Port: verbs.RoCEPort,
		SourcePort: func(partition int) uint16 {
			return verbs.UDPSourcePort(herd.FlowLabel(partition))
		},
		OpcodeFromEnd: herd.OpFromEnd,
		OpcodeMask:    herd.OpMask,
		OpcodeName:    func(opcode uint8) string { return kvs.Op(opcode).String() },
	}
}
