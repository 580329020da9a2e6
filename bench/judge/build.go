package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/test/subject"
)

// subjectsFile is in every package with subjects.
const subjectsFile = "subjects_test.go"

// build has the test binaries of a tree, several times. Each time the linker puts the functions in
// another order: where functions lie changes their times by some per cent.
type build struct {
	tree     string // its root
	layouts  int    // how many orders there are
	overlay  string // a file that replaces sources, or ""
	bin      string // folder with a folder of binaries for each order
	subjects []found
}

// found is a subject, and where it is.
type found struct {
	subject.Facts
	binary, dir string
}

// in is the subject with one order of functions.
func (b *build) in(layout int, name string) *found {
	of := *b.find(name)
	of.binary = filepath.Join(b.folder(layout), of.binary)
	return &of
}

func (b *build) folder(layout int) string { return filepath.Join(b.bin, strconv.Itoa(layout)) }

// make builds with some orders of functions, and asks the binaries for their subjects.
func (b *build) make(ctx context.Context, layouts int) error {
	if b.layouts >= layouts {
		return nil
	}
	packages, err := packagesOf(b.tree)
	if err != nil {
		return err
	}
	// bench is a module of its own.
	modules := map[string][]string{}
	for _, p := range packages {
		if below, ok := strings.CutPrefix(p+"/", "bench/"); ok {
			modules["bench"] = append(modules["bench"], "./"+below)
		} else {
			modules["."] = append(modules["."], "./"+p)
		}
	}
	for ; b.layouts < layouts; b.layouts++ { // "go test" itself uses all CPUs
		if err := os.MkdirAll(b.folder(b.layouts), 0o700); err != nil {
			return err
		}
		for module, packages := range modules {
			if err := b.compile(ctx, filepath.Join(b.tree, module), packages); err != nil {
				return err
			}
		}
	}
	b.subjects = nil
	for _, p := range packages {
		if err := b.ask(ctx, p); err != nil {
			return fmt.Errorf("%s of %s: %w", p, b.tree, err)
		}
	}
	return nil
}

// compile makes test binaries of the next layout. They are the same in every folder (-trimpath).
func (b *build) compile(ctx context.Context, dir string, packages []string) error {
	args := []string{
		"test", "-c", "-trimpath", "-o", b.folder(b.layouts) + "/",
		fmt.Sprintf("-ldflags=-randlayout=%d", 1+b.layouts),
	}
	if b.overlay != "" {
		args = append(args, "-overlay="+b.overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the benchmarks of %s: %w: %s", dir, err, out)
	}
	return nil
}

// ask lists the subjects of a package.
func (b *build) ask(ctx context.Context, pkg string) error {
	file, dir := filepath.Base(pkg)+".test", filepath.Join(b.tree, pkg)
	list := found{binary: filepath.Join(b.folder(0), file), dir: dir}
	list.Name = subject.List
	c, err := startChild(ctx, &list, "")
	if err != nil {
		return err
	}
	defer c.end()
	hello, err := c.hello()
	if err != nil {
		return err
	}
	for _, facts := range hello.Subjects {
		b.subjects = append(b.subjects, found{facts, file, dir})
	}
	return nil
}

// find is the subject of a name, or nil.
func (b *build) find(name string) *found {
	at := slices.IndexFunc(b.subjects, func(s found) bool { return s.Name == name })
	if at < 0 {
		return nil
	}
	return &b.subjects[at]
}

// packagesOf are the folders with subjects.
func packagesOf(tree string) (list []string, err error) {
	err = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name[0] == '.' && path != tree) {
			return fs.SkipDir
		}
		if d.Name() == subjectsFile {
			below, err := filepath.Rel(tree, filepath.Dir(path))
			list = append(list, filepath.ToSlash(below))
			return err
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = errors.New("found no " + subjectsFile + " below " + tree)
	}
	return list, err
}
