package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrAbsent is the error of [Open] if a tool is missing.
var ErrAbsent = errors.New("tools of the model are missing")

// Tools are the model's external programs, and the target's code.
type Tools struct {
	qemu, objdump, mca string
	target             string
	code               code
}

// Open finds the tools and builds the target for arm64 into dir. It must run in the lab's
// folder.
func Open(ctx context.Context, dir string) (*Tools, error) {
	t := &Tools{target: filepath.Join(dir, "target")}
	for _, tool := range []struct {
		path   *string
		names  []string
		debian string
	}{
		{&t.qemu, []string{"qemu-aarch64-static", "qemu-aarch64"}, "qemu-user-static"},
		{&t.objdump, []string{"llvm-objdump-19", "llvm-objdump"}, "llvm-19"},
		// the pipelines differ from version to version
		{&t.mca, []string{"llvm-mca-19"}, "llvm-19"},
	} {
		if *tool.path = firstInPath(tool.names); *tool.path == "" {
			return nil, fmt.Errorf("%w: %s (Debian: %s)", ErrAbsent,
				strings.Join(tool.names, " or "), tool.debian)
		}
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", t.target, "dpukv/hashbench/lab/target")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the target: %w\n%s", err, out)
	}
	return t, t.disassemble(ctx)
}

func firstInPath(names []string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func (t *Tools) disassemble(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, t.objdump, "-d", "--no-show-raw-insn", t.target).Output()
	if err != nil {
		return fmt.Errorf("llvm-objdump: %w", err)
	}
	t.code, err = parseCode(out)
	return err
}

// trace runs the target and returns the executed instructions of the loops and hash functions.
func (t *Tools) trace(
	ctx context.Context, core *Core, function, mode string, size, calls int,
) ([]uint64, error) {
	file, err := os.CreateTemp(filepath.Dir(t.target), "trace")
	if err != nil {
		return nil, err
	}
	log := file.Name()
	defer os.Remove(log)
	if err := file.Close(); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, t.qemu, "-cpu", core.QEMU, "-singlestep", "-d", "exec,nochain",
		"-dfilter", t.code.filter(), "-D", log,
		t.target, function, mode, fmt.Sprint(size), fmt.Sprint(calls))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("qemu-aarch64: %s, %s, %d B: %w\n%s", function, mode, size, err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	return parseTrace(data)
}

// cycles is llvm-mca's result.
func (t *Tools) cycles(ctx context.Context, core *Core, assembly string) (float64, error) {
	args := append([]string{
		"-mtriple=aarch64", "-iterations=1", "-instruction-info=0",
		"-resource-pressure=0",
	}, core.MCA...)
	cmd := exec.CommandContext(ctx, t.mca, args...)
	cmd.Stdin = strings.NewReader(assembly)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("llvm-mca: %w\n%.2000s", err, problems.String())
	}
	return parseCycles(out.String())
}
