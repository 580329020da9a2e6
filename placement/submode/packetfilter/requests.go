package packetfilter

import "github.com/cilium/ebpf/asm"

// Requests say how a store's requests look on the path: UDP datagrams over IPv4, sent from a port
// for each partition. The caller knows the store, this package only packets.
type Requests struct {
	// Port is the UDP port that they go to, SourcePort the one that those for a partition leave from.
	Port       uint16
	SourcePort func(partition int) uint16
	// OpcodeFromEnd is how many bytes before its end a request has its operation, OpcodeMask which
	// bits of that byte it is. OpcodeName is what a person calls it.
	OpcodeFromEnd int
	OpcodeMask    uint8
	OpcodeName    func(opcode uint8) string
}

// Match goes on for packets that may be requests, and to Pass for others.
func (r *Requests) Match(bounds Bounds) asm.Instructions {
	return append(matchIPv4(bounds), r.matchUDP(bounds)...)
}

// matchUDP goes on for those packets of IPv4 that are UDP to the requests' port.
func (r *Requests) matchUDP(bounds Bounds) asm.Instructions {
	const version4, udp, moreOrOffset = 0x45, 17, 0x3fff
	return append(bounds(udpEnd),
		asm.LoadMem(Scratch, Data, ipVersionAt, asm.Byte),
		asm.JNE.Imm(Scratch, version4, Pass),
		asm.LoadMem(Scratch, Data, ipProtoAt, asm.Byte),
		asm.JNE.Imm(Scratch, udp, Pass),
		asm.LoadMem(Scratch, Data, ipFlagsAt, asm.Half),
		asm.And.Imm(Scratch, network16(moreOrOffset)),
		asm.JNE.Imm(Scratch, 0, Pass),
		asm.LoadMem(Scratch, Data, udpDestAt, asm.Half),
		asm.JNE.Imm(Scratch, network16(r.Port), Pass))
}
