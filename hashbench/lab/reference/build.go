package reference

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed csrc/reference.cc
var program []byte

// ErrAbsent is the error of [Build] without a compiler or without any reference to compile.
var ErrAbsent = errors.New("no C references here")

// part is one reference: its required files, and its compiler flags.
type part struct {
	macro   string
	header  string   // to be found by the compiler
	folder  string   // below the sources' folder
	sources []string // below folder
	library string
	from    string // where to get it
}

var parts = []part{
	{
		"HAVE_CITY", "city.h", "cityhash/src",
		[]string{"city.cc"},
		"",
		"https://github.com/google/cityhash",
	},
	{
		"HAVE_SMHASHER", "SpookyV2.h", "smhasher",
		[]string{"MurmurHash2.cpp", "MurmurHash3.cpp", "SpookyV2.cpp"},
		"",
		"https://github.com/rurban/smhasher",
	},
	{"HAVE_XXHASH", "xxhash.h", "", nil, "", "Debian's libxxhash-dev"},
	{"HAVE_FARMHASH", "farmhash.h", "", nil, "farmhash", "Debian's libfarmhash-dev"},
	{
		"HAVE_HIGHWAY", "highwayhash/sip_hash.h", "", nil, "highwayhash",
		"Debian's libhighwayhash-dev",
	},
	{"HAVE_MD5", "openssl/md5.h", "", nil, "crypto", "Debian's libssl-dev"},
}

// Build compiles the program into dir, with the references in sources (a folder, may be empty) and
// in the system. It returns the program's path, and the missing references with their origins.
func Build(ctx context.Context, dir, sources string) (path string, missing []string, err error) {
	if _, err := exec.LookPath("g++"); err != nil {
		return "", nil, fmt.Errorf("%w: g++ is not installed", ErrAbsent)
	}
	main := filepath.Join(dir, "reference.cc")
	err = errors.Join(
		os.WriteFile(main, program, 0o666),
		// Google's city.cc includes the output of its configure script.
		os.WriteFile(filepath.Join(dir, "config.h"), []byte("#define HAVE_BUILTIN_EXPECT 1\n"),
			0o666))
	if err != nil {
		return "", nil, err
	}
	args, files, libraries := []string{
		"-std=c++17", "-O3", "-march=native", "-flto", "-w",
		"-I" + dir,
	}, []string{main}, []string{}
	for _, p := range parts {
		folder := filepath.Join(sources, p.folder)
		if !p.found(ctx, folder) {
			missing = append(missing, p.header+" ("+p.from+")")
			continue
		}
		args = append(args, "-D"+p.macro)
		if p.folder != "" {
			args = append(args, "-I"+folder)
		}
		for _, s := range p.sources {
			files = append(files, filepath.Join(folder, s))
		}
		if p.library != "" {
			libraries = append(libraries, "-l"+p.library)
		}
	}
	if len(missing) == len(parts) {
		return "", missing, fmt.Errorf("%w: none of %s", ErrAbsent, strings.Join(missing, ", "))
	}
	path = filepath.Join(dir, "reference")
	args = append(append(append(args, files...), "-o", path), libraries...)
	if out, err := exec.CommandContext(ctx, "g++", args...).CombinedOutput(); err != nil {
		return "", missing, fmt.Errorf("g++ %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return path, missing, nil
}

// found checks for the header, with the compiler, and for the sources.
func (p *part) found(ctx context.Context, folder string) bool {
	for _, s := range p.sources {
		if _, err := os.Stat(filepath.Join(folder, s)); err != nil {
			return false
		}
	}
	if p.folder != "" {
		return true
	}
	cmd := exec.CommandContext(ctx, "g++", "-x", "c++", "-E", "-")
	cmd.Stdin = strings.NewReader("#include <" + p.header + ">\n")
	return cmd.Run() == nil
}
