package submode

import (
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/placement/submode/packetfilter"
	"dpukv/verbs"
)

// Requests are HERD's requests over RoCE v2, as they look on the path. HERD gives the queue pair to
// a worker a flow label of its own, from which the UDP source port follows.
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
