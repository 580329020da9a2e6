package packetfilter

import (
	"encoding/binary"
	"fmt"

	"github.com/cilium/ebpf/asm"
)

// Where fields lie in an Ethernet frame with IPv4 without options (RFC 791, 3.1) and UDP (RFC 768).
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

// The labels that a match goes to, which belong to who uses it.
const (
	Pass = "pass"
	Drop = "drop"
)

// The registers of a match. Data has the address of the packet's first byte, and stays as it is. The
// scratch is for bounds, too.
const (
	Data    = asm.R2
	Scratch = asm.R4
	value   = asm.R5
)

// Bounds goes to Pass unless the packet has so many bytes; it may use Scratch.
type Bounds func(bytes int32) asm.Instructions

// Match goes to Drop for packets that are to be dropped; for others to Pass, or to what follows it.
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
	// A jump compares 64 bits with 32 that it extends by their sign: the address is extended likewise.
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

// network16 is a number as a load of two bytes in network order has it here.
func network16(n uint16) int32 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], n)
	return int32(binary.NativeEndian.Uint16(b[:]))
}
