package launch

import (
	"bytes"
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/foreign"
)

// machine describes a node to the choice of its binary.
type machine struct {
	uname   string   // of "uname -m"
	glibc   string   // its version; "": it has none
	loaders []string // the dynamic linkers that it has, of those that install.sh knows
}

// parseMachine reads install.sh's answer: UNAME GLIBC LOADER…. A dash stands for no glibc.
func parseMachine(answer string) (m machine) {
	words := strings.Fields(answer)
	if len(words) > 0 {
		m.uname = words[0]
	}
	if len(words) > 1 {
		m.glibc, m.loaders = strings.Trim(words[1], "-"), words[2:]
	}
	return m
}

// needs are what a binary needs beside a kernel.
type needs struct {
	loader string // its dynamic linker; "": it is static
	glibc  string // the newest version of the C library's symbols; "": none
}

// misfit tells why the binary does not run on a machine; nil if it does.
func (n *needs) misfit(m machine) error {
	switch {
	case n.loader != "" && !slices.Contains(m.loaders, n.loader):
		return fmt.Errorf("it needs the dynamic linker %s, and the node has %s", n.loader,
			cmp.Or(strings.Join(m.loaders, ", "), "none"))
	case n.glibc != "" && compareVersions(n.glibc, m.glibc) > 0:
		return fmt.Errorf("it needs glibc %s, and the node has %s", n.glibc,
			cmp.Or(m.glibc, "none"))
	}
	return nil
}

// needsOf reads a binary's needs.
func needsOf(f *elf.File) (n needs, err error) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		text, err := foreign.ReadAll(p.Open(), "the name of its linker", 4096)
		if err != nil {
			return n, err
		}
		n.loader = string(bytes.TrimRight(text, "\x00"))
	}
	symbols, err := f.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return n, err
	}
	for _, s := range symbols {
		version, ok := strings.CutPrefix(s.Version, "GLIBC_")
		if ok && compareVersions(version, n.glibc) > 0 {
			n.glibc = version
		}
	}
	return n, nil
}

// compareVersions compares versions such as 2.34 and 2.4 by their numbers.
func compareVersions(a, b string) int {
	return slices.Compare(numbers(a), numbers(b))
}

func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // of a suffix: 0
		list = append(list, n)
	}
	return list
}
