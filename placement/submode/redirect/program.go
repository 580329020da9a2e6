package redirect

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dpukv/placement/submode/packetfilter"
)

// name identifies our programs. The kernel keeps 15 characters.
const name = "dpukv_redirect"

// The entries of the counters' map.
const (
	passed uint32 = iota
	dropped
	uncut   // trains of requests that nobody cut into packets
	opcodes // the first of those by operation
)

// shot is TC_ACT_SHOT, a program's result to drop.
const shot = 2

// Offsets in struct __sk_buff (linux/bpf.h).
const skbData, skbDataEnd = 76, 80

// entries returns the size of the counters' map.
func entries(r *packetfilter.Requests) uint32 { return opcodes + uint32(r.OpcodeMask) + 1 }

// load makes the program that sends every packet to an interface, except those that the filter
// drops.
func load(ifindex int, f *packetfilter.Filter, r *packetfilter.Requests) (*ebpf.Program, error) {
	counts, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: name, Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: entries(r),
	})
	if err != nil {
		return nil, err
	}
	defer counts.Close() // the program keeps it
	code, err := match(f, r)
	if err != nil {
		return nil, err
	}
	if f.CountOpcodes {
		code = append(code, countRequest(counts, r)...)
	}
	code = append(code, count(counts, passed, packetfilter.Pass)...)
	code = append(code,
		asm.Mov.Imm(asm.R1, int32(ifindex)), asm.Mov.Imm(asm.R2, 0), asm.FnRedirect.Call(),
		asm.Return())
	if f.Rules() > 0 {
		code = append(code, count(counts, dropped, packetfilter.Drop)...)
		code = append(code, asm.Mov.Imm(asm.R0, shot), asm.Return())
	}
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: name, Type: ebpf.SchedCLS, AttachType: ebpf.AttachTCXIngress, Instructions: code,
		License: "Apache-2.0",
	})
}

// match returns the filter's match, with the bounds from traffic control; nothing without a filter.
func match(f *packetfilter.Filter, r *packetfilter.Requests) (asm.Instructions, error) {
	code, err := f.Match(r, bounds)
	if err != nil || f.None() {
		return nil, err
	}
	return append(asm.Instructions{
		asm.Mov.Reg(context, asm.R1),
		asm.LoadMem(packetfilter.Data, asm.R1, skbData, asm.Word),
		asm.LoadMem(end, asm.R1, skbDataEnd, asm.Word),
	}, code...), nil
}

// end has the address behind the packet.
const end = asm.R3

func bounds(bytes int32) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Reg(packetfilter.Scratch, packetfilter.Data),
		asm.Add.Imm(packetfilter.Scratch, bytes),
		asm.JGT.Reg(packetfilter.Scratch, end, packetfilter.Pass),
	}
}

// count adds one to an entry of this CPU, which has no other writer.
func count(counts *ebpf.Map, entry uint32, label string) asm.Instructions {
	after := label + "_counted"
	code := asm.Instructions{asm.StoreImm(asm.RFP, entryKey, int64(entry),
		asm.Word).WithSymbol(label)}
	code = append(code, addOne(counts, after)...)
	return append(code, asm.Mov.Reg(asm.R0, asm.R0).WithSymbol(after))
}

// addOne jumps to a label if the entry on the stack does not exist.
func addOne(counts *ebpf.Map, none string) asm.Instructions {
	return asm.Instructions{
		asm.LoadMapPtr(asm.R1, counts.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, entryKey),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, none),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.Add.Imm(asm.R1, 1),
		asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
	}
}
