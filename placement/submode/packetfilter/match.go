package packetfilter

import (
	"encoding/binary"
	"fmt"

	"github.com/cilium/ebpf/asm"
)

// Offsets of fields in an Ethernet frame with IPv4 without options (RFC 791, 3.1) and UDP (RFC
// 768).
const (
	etherTypeAt = 12
	etherBytes  = 14
	ipVersionAt = etherBytes
	ipFlagsAt   = etherBytes + 6
	ipProtoAt   = etherBytes + 9
	ipSourceAt  = etherBytes + 12
	ipEnd       = etherBytes + 20
	udpSourceAt = ipEnd
	udpDestAt   = ipEnd + 2
	udpEnd      = ipEnd + 8
)

// The labels to which a match jumps. The caller defines them.
const (
	Pass = "pass"
	Drop = "drop"
)

// The registers of a match. Data has the address of the packet's first byte, and does not change.
// Bounds may use the scratch register, too.
const (
	Data    = asm.R2
	Scratch = asm.R4
	value   = asm.R5
)

// Bounds jumps to Pass unless the packet has so many bytes. It may use Scratch.
type Bounds func(bytes int32) asm.Instructions

// Match jumps to Drop for packets to drop. For others it jumps to Pass, or falls through to the
// next instruction.
func (f *Filter) Match(r *Requests, bounds Bounds) (asm.Instructions, error) {
	if f.Rules() == 0 {
		return nil, nil
	}
	code := matchIPv4(bounds)
	clients, err := f.matchClients()
	if err != nil {
		return nil, err
	}
	return append(append(code, clients...), f.matchPartitions(r, bounds)...), nil
}

func (f *Filter) matchClients() (asm.Instructions, error) {
	if len(f.DropClients) == 0 {
		return nil, nil
	}
	// A jump compares 64 bits with 32 bits that it sign-extends. So the address is sign-extended,
	// too.
	code := asm.Instructions{
		asm.LoadMem(value, Data, ipSourceAt, asm.Word),
		asm.LSh.Imm(value, 32),
		asm.ArSh.Imm(value, 32),
	}
	for _, a := range f.DropClients {
		if !a.Is4() {
			return nil, fmt.Errorf("found the address %v, allowed: IPv4", a)
		}
		four := a.As4()
		code = append(code, asm.JEq.Imm(value, int32(binary.NativeEndian.Uint32(four[:])), Drop))
	}
	return code, nil
}

func (f *Filter) matchPartitions(r *Requests, bounds Bounds) asm.Instructions {
	if len(f.DropPartitions) == 0 {
		return nil
	}
	code := append(r.matchUDP(bounds), asm.LoadMem(value, Data, udpSourceAt, asm.Half))
	for _, p := range f.DropPartitions {
		code = append(code, asm.JEq.Imm(value, network16(r.SourcePort(p)), Drop))
	}
	return code
}

func matchIPv4(bounds Bounds) asm.Instructions {
	return append(bounds(ipEnd),
		asm.LoadMem(Scratch, Data, etherTypeAt, asm.Half),
		asm.JNE.Imm(Scratch, network16(0x0800), Pass))
}

// network16 returns a number as this machine loads it from two bytes in network order.
func network16(n uint16) int32 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], n)
	return int32(binary.NativeEndian.Uint16(b[:]))
}
