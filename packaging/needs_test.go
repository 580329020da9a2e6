package packaging

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkNeeds refuses a binary that needs another dynamic linker or library, or a version of any
// symbol: then it would not run with an older C library.
func checkNeeds(file, loader string, libraries ...string) error {
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	found := ""
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			text, err := io.ReadAll(p.Open())
			if err != nil {
				return err
			}
			found = strings.TrimRight(string(text), "\x00")
		}
	}
	if found != loader {
		return fmt.Errorf("%s: found the dynamic linker %q, allowed: %q", file, found, loader)
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	for _, l := range needed {
		if !slices.Contains(libraries, l) {
			return fmt.Errorf("%s: found a need of %s, allowed: %q", file, l, libraries)
		}
	}
	symbols, err := f.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return err
	}
	for _, s := range symbols {
		if s.Version != "" {
			return fmt.Errorf("%s: found a need of %s in version %s, allowed: symbols without a "+
				"version", file, s.Name, s.Version)
		}
	}
	return nil
}

// TestCheckNeeds refuses a program that cgo linked, and takes this package's two kinds of builds.
func TestCheckNeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	dir := t.TempDir()
	compile := func(name, cgo, tags string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		cmd := exec.Command("go", "test", "-c", "-tags", tags, "-o", file, "dpukv/verbs/provider")
		cmd.Env = append(os.Environ(), "GOARCH=amd64", "CGO_ENABLED="+cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return file
	}
	const loader = "/lib64/ld-linux-x86-64.so.2"
	libraries := []string{"libc.so.6", "libdl.so.2", "libpthread.so.0"}
	plain := compile("plain", "0", "")
	if err := checkNeeds(plain, loader, libraries...); err != nil {
		t.Error(err)
	}
	if err := checkNeeds(compile("static", "0", "static"), ""); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		file, loader string
		libraries    []string
		want         string
	}{
		{plain, "", libraries, "found the dynamic linker"},
		{plain, loader, libraries[:1], "found a need of lib"},
		{"/bin/sh", loader, libraries, "in version GLIBC_"},
	} {
		err := checkNeeds(test.file, test.loader, test.libraries...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: found %v, want %q", test.file, err, test.want)
		}
	}
}
