package packetfilter

import "github.com/cilium/ebpf/asm"

// Requests describes a store's requests on the path: UDP datagrams over IPv4, sent from one port
// for each partition. The caller knows the store; this package knows only packets.
type Requests struct {
	// Port is the requests' UDP destination port. SourcePort returns the source port of a
	// partition's requests.
	Port       uint16
	SourcePort func(partition int) uint16
	// OpcodeFromEnd is the distance in bytes of a request's operation from its end. OpcodeMask
	// selects the bits of that byte. OpcodeName returns the operation's name for people.
	OpcodeFromEnd int
	OpcodeMask    uint8
	OpcodeName    func(opcode uint8) string
}

// Match falls through for packets that may be requests, and jumps to Pass for others.
func (r *Requests) Match(bounds Bounds) asm.Instructions {
	return append(matchIPv4(bounds), r.matchUDP(bounds)...)
}

// matchUDP falls through for IPv4 packets that are UDP to the requests' port.
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
