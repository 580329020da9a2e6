package redirect

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// name is how our programs are known again. The kernel keeps 15 characters.
const name = "dpukv_redirect"

// The entries of the counters' map.
const (
	passed uint32 = iota
	dropped
	counters
)

// shot is TC_ACT_SHOT, what a program returns to drop.
const shot = 2

// Offsets in struct __sk_buff (linux/bpf.h), and of the source address in an Ethernet frame with IPv4 (RFC 791, 3.1).
const (
	skbProtocol, skbData, skbDataEnd = 16, 76, 80

	sourceAt, sourceEnd = 14 + 12, 14 + 16
)

// load makes the program that sends everything to an interface, but what comes from these addresses.
func load(ifindex int, drop []netip.Addr) (*ebpf.Program, error) {
	counts, err := ebpf.NewMap(&ebpf.MapSpec{Name: name, Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: counters})
	if err != nil {
		return nil, err
	}
	defer counts.Close() // the program keeps it
	code, err := filter(drop)
	if err != nil {
		return nil, err
	}
	code = append(code, count(counts, passed, "pass")...)
	code = append(code,
		asm.Mov.Imm(asm.R1, int32(ifindex)), asm.Mov.Imm(asm.R2, 0), asm.FnRedirect.Call(), asm.Return())
	if len(drop) > 0 {
		code = append(code, count(counts, dropped, "drop")...)
		code = append(code, asm.Mov.Imm(asm.R0, shot), asm.Return())
	}
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: name, Type: ebpf.SchedCLS, AttachType: ebpf.AttachTCXIngress, Instructions: code, License: "Apache-2.0",
	})
}

// filter goes to "drop" for the source addresses, and to "pass" for the others.
func filter(drop []netip.Addr) (asm.Instructions, error) {
	if len(drop) == 0 {
		return nil, nil
	}
	ipv4 := int32(binary.NativeEndian.Uint16([]byte{0x08, 0x00}))
	code := asm.Instructions{
		asm.LoadMem(asm.R3, asm.R1, skbProtocol, asm.Word),
		asm.JNE.Imm(asm.R3, ipv4, "pass"),
		asm.LoadMem(asm.R2, asm.R1, skbData, asm.Word),
		asm.LoadMem(asm.R3, asm.R1, skbDataEnd, asm.Word),
		asm.Mov.Reg(asm.R4, asm.R2),
		asm.Add.Imm(asm.R4, sourceEnd),
		asm.JGT.Reg(asm.R4, asm.R3, "pass"),
		asm.LoadMem(asm.R5, asm.R2, sourceAt, asm.Word),
	}
	for _, a := range drop {
		if !a.Is4() {
			return nil, fmt.Errorf("found the address %v, allowed: IPv4", a)
		}
		four := a.As4()
		code = append(code, asm.JEq.Imm32(asm.R5, int32(binary.NativeEndian.Uint32(four[:])), "drop"))
	}
	return code, nil
}

// count adds one to an entry, of this CPU: nobody else writes it.
func count(counts *ebpf.Map, entry uint32, label string) asm.Instructions {
	after := label + "_counted"
	return asm.Instructions{
		asm.StoreImm(asm.RFP, -4, int64(entry), asm.Word).WithSymbol(label),
		asm.LoadMapPtr(asm.R1, counts.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, -4),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, after),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.Add.Imm(asm.R1, 1),
		asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
		asm.Mov.Reg(asm.R0, asm.R0).WithSymbol(after),
	}
}
