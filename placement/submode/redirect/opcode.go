package redirect

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dpukv/placement/submode/packetfilter"
)

// The UC packets that end a WRITE (InfiniBand Architecture Specification 1, 9.2), and lengths
// around a request: at least UDP header and BTH, padding in the BTH, ICRC.
const (
	ucWriteLast, ucWriteOnly = 0x28, 0x2a

	udpLengthAt       = udpAt + 4
	bthAt             = udpAt + 8
	udpAt             = 14 + 20
	icrcBytes         = 4
	bthBytes          = 2                  // of it, that are of use
	leastBytes        = 8 + 12 + icrcBytes // and the operation
	padShift, padMask = 4, 3
	skbGSOSegments    = 164 // in struct __sk_buff
	context, at       = asm.R6, asm.R7
	readAt, entryKey  = -8, -4 // on the stack
)

// countRequest counts a request by its operation, and jumps to Pass for other packets. A program
// sees only a packet's first headers in memory. The kernel reads the payload for it.
func countRequest(counts *ebpf.Map, r *packetfilter.Requests) asm.Instructions {
	const isLast, counted, uncutTrain = "ends_write", "count_request", "count_train"
	code := append(r.Match(bounds),
		asm.LoadMem(at, packetfilter.Data, udpLengthAt, asm.Half),
		asm.HostTo(asm.BE, at, asm.Half),
		asm.JLT.Imm(at, leastBytes+int32(r.OpcodeFromEnd), packetfilter.Pass),
		asm.Mov.Imm(asm.R2, bthAt))
	code = append(code, read(bthBytes)...)
	code = append(code,
		asm.LoadMem(packetfilter.Scratch, asm.RFP, readAt, asm.Byte),
		asm.JEq.Imm(packetfilter.Scratch, ucWriteOnly, isLast),
		asm.JNE.Imm(packetfilter.Scratch, ucWriteLast, packetfilter.Pass),
		asm.LoadMem(packetfilter.Scratch, context, skbGSOSegments, asm.Word).WithSymbol(isLast),
		asm.JGT.Imm(packetfilter.Scratch, 1, uncutTrain),
		asm.LoadMem(packetfilter.Scratch, asm.RFP, readAt+1, asm.Byte),
		asm.RSh.Imm(packetfilter.Scratch, padShift),
		asm.And.Imm(packetfilter.Scratch, padMask),
		asm.Mov.Reg(asm.R2, at),
		asm.Sub.Reg(asm.R2, packetfilter.Scratch),
		asm.Add.Imm(asm.R2, int32(udpAt-icrcBytes-r.OpcodeFromEnd)))
	code = append(code, read(1)...)
	code = append(code,
		asm.LoadMem(at, asm.RFP, readAt, asm.Byte),
		asm.And.Imm(at, int32(r.OpcodeMask)),
		asm.Add.Imm(at, int32(opcodes)),
		asm.Ja.Label(counted),
		asm.Mov.Imm(at, int32(uncut)).WithSymbol(uncutTrain),
		asm.StoreMem(asm.RFP, entryKey, at, asm.Word).WithSymbol(counted))
	return append(code, addOne(counts, packetfilter.Pass)...)
}

// read copies so many bytes of the packet, from the offset in R2, to readAt on the stack. It jumps
// to Pass if the packet is shorter.
func read(bytes int32) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Reg(asm.R1, context),
		asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, readAt),
		asm.Mov.Imm(asm.R4, bytes),
		asm.FnSkbLoadBytes.Call(),
		asm.JNE.Imm(asm.R0, 0, packetfilter.Pass),
	}
}
