package launch

import (
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

// Binaries finds the dpukv binary for an architecture. For this machine's architecture it is the
// running program; for others it is a file dpukv-linux-ARCH.
type Binaries struct {
	Dir string // has those files; "": the folder of the program that runs
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
}

// open finds the binary for a machine name of "uname -m".
func (b *Binaries) open(uname string) (*program, error) {
	arch, ok := architectures[uname]
	if !ok {
		return nil, fmt.Errorf("it is of the architecture %q; allowed: x86_64, aarch64", uname)
	}
	path := "/proc/self/exe" // what runs, even if the file was replaced since
	if arch.name != runtime.GOARCH {
		dir, err := b.dir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, "dpukv-linux-"+arch.name)
	}
	f, err := infile.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("it is of the architecture %s, this program is for %s, and there "+
			"is no %s: in dpukv's source, make it by\n    GOARCH=%s CGO_ENABLED=0 go build -o %s "+
			"./cmd/dpukv",
			arch.name, runtime.GOARCH, path, arch.name, path)
	}
	if err != nil {
		return nil, err
	}
	bin, err := readProgram(f, arch.machine)
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
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return &program{f, hex.EncodeToString(h.Sum(nil))}, nil
}
