package launch

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"dpukv/internal/infile"
)

// Binaries finds the dpukv binary for a machine. For this machine's architecture it is a program
// here; for others it is a file dpukv-linux-ARCH. A machine whose C library does not fit gets the
// file dpukv-linux-ARCH-static, which needs none.
type Binaries struct {
	Program string // the program here; "": the one that runs
	Dir     string // has those files; "": the folder of the program
}

// architectures maps the machine names of "uname -m" to Go's architectures and ELF machines.
var architectures = map[string]struct {
	name    string
	machine elf.Machine
}{
	"x86_64":  {"amd64", elf.EM_X86_64},
	"aarch64": {"arm64", elf.EM_AARCH64},
}

// program is a dpukv binary to copy.
type program struct {
	*os.File
	digest string // SHA-256, in hexadecimal
	needs
}

// open finds the binary that runs on a machine.
func (b *Binaries) open(m machine) (*program, error) {
	arch, ok := architectures[m.uname]
	if !ok {
		return nil, fmt.Errorf("it is of the architecture %q; allowed: x86_64, aarch64", m.uname)
	}
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "dpukv-linux-"+arch.name)
	path := file
	if arch.name == runtime.GOARCH {
		// what runs, even if the file was replaced since
		path = cmp.Or(b.Program, "/proc/self/exe")
	}
	bin, err := openProgram(path, arch.machine)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("it is of the architecture %s, this program is for %s, and there "+
			"is no %s: in dpukv's source, make it by\n    GOARCH=%s CGO_ENABLED=0 go build -o %s "+
			"./cmd/dpukv",
			arch.name, runtime.GOARCH, path, arch.name, path)
	}
	if err != nil {
		return nil, err
	}
	misfit := bin.misfit(m)
	if misfit == nil {
		return bin, nil
	}
	bin.Close()
	static := file + "-static"
	bin, err = openProgram(static, arch.machine)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: %w, and there is no %s, which would need none: in dpukv's "+
			"source, make it by\n    GOARCH=%s CGO_ENABLED=0 go build -tags static -o %s "+
			"./cmd/dpukv",
			path, misfit, static, arch.name, static)
	case err != nil:
		return nil, err
	}
	if err := bin.misfit(m); err != nil {
		bin.Close()
		return nil, fmt.Errorf("%s: %w", static, err)
	}
	return bin, nil
}

func openProgram(path string, machine elf.Machine) (*program, error) {
	f, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	bin, err := readProgram(f, machine)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bin, nil
}

func (b *Binaries) dir() (string, error) {
	if b.Dir != "" {
		return b.Dir, nil
	}
	if b.Program != "" {
		return filepath.Dir(b.Program), nil
	}
	self, err := os.Executable()
	return filepath.Dir(self), err
}

// readProgram checks that the file is for the machine in its name, and computes its digest.
func readProgram(f *os.File, machine elf.Machine) (*program, error) {
	header, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("it is no program for Linux: %w", err)
	}
	if header.Machine != machine {
		return nil, fmt.Errorf("found a program for %v, allowed: for %v", header.Machine, machine)
	}
	needs, err := needsOf(header)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &program{f, hex.EncodeToString(h.Sum(nil)), needs}, nil
}
