package packetfilter

import (
	"bytes"
	"debug/elf"
	"net/netip"
	"testing"

	"dpukv/internal/test/must"
)

// TestObjectIsELF uses another ELF reader to find in the file what librte_bpf looks for.
func TestObjectIsELF(t *testing.T) {
	f := Filter{DropClients: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}
	b := must.Get(f.Object(nil))(t)
	file := must.Get(elf.NewFile(bytes.NewReader(b)))(t)
	text := file.Section(".text")
	if file.Machine != elf.EM_BPF || file.Type != elf.ET_REL || text == nil || text.Type != elf.SHT_PROGBITS ||
		text.Flags != elf.SHF_ALLOC|elf.SHF_EXECINSTR {
		t.Errorf("%+v, %+v", file.FileHeader, text)
	}
	code, err := text.Data()
	const exit = 0x95
	if err != nil || len(code)%8 != 0 || code[len(code)-8] != exit {
		t.Errorf("the code %x, %v", code, err)
	}
}
