package packetfilter

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"github.com/cilium/ebpf/asm"
)

// Object returns the filter for librte_bpf: an ELF object with a program. The program gets the
// address of a packet's first byte, and returns 0 to drop the packet. The object is little endian,
// like all machines that this program is built for.
func (f *Filter) Object(r *Requests) ([]byte, error) {
	match, err := f.Match(r, func(int32) asm.Instructions { return nil })
	if err != nil {
		return nil, err
	}
	code := append(asm.Instructions{asm.Mov.Reg(Data, asm.R1)}, match...)
	code = append(code, asm.Mov.Imm(asm.R0, 1).WithSymbol(Pass), asm.Return())
	if f.Rules() > 0 {
		code = append(code, asm.Mov.Imm(asm.R0, 0).WithSymbol(Drop), asm.Return())
	}
	var text bytes.Buffer
	if err := code.Marshal(&text, binary.LittleEndian); err != nil {
		return nil, err
	}
	return object(text.Bytes())
}

// object returns a relocatable file with code in its section .text, and nothing to relocate.
//
//	ELF header | .text | .shstrtab | section headers: none, .text, .shstrtab
func object(text []byte) ([]byte, error) {
	const headerBytes, sectionBytes = 64, 64
	names := []byte("\x00.text\x00.shstrtab\x00")
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{
			0x7f, 'E', 'L', 'F',
			byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT),
		},
		Type: uint16(elf.ET_REL), Machine: uint16(elf.EM_BPF), Version: uint32(elf.EV_CURRENT),
		Ehsize:    headerBytes,
		Shentsize: sectionBytes, Shnum: 3, Shstrndx: 2,
	}
	namesAt := uint64(headerBytes + len(text))
	padded := append(names, make([]byte, -len(names)&7)...)
	header.Shoff = namesAt + uint64(len(padded))
	var out bytes.Buffer
	for _, part := range []any{
		&header, text, padded,
		[]elf.Section64{
			{},
			{
				Name: 1, Type: uint32(elf.SHT_PROGBITS),
				Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR),
				Off:   headerBytes, Size: uint64(len(text)), Addralign: 8,
			},
			{
				Name: uint32(len("\x00.text\x00")), Type: uint32(elf.SHT_STRTAB),
				Off: namesAt, Size: uint64(len(names)), Addralign: 1,
			},
		},
	} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
