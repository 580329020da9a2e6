package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/subject"
)

// loopNs is the time of one step of a planted loop.
var loopNs = sync.OnceValue(func() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const steps = 1 << 20
	best := time.Duration(1 << 62)
	for range 20 {
		begun := cpu.ThreadNs()
		_ = subject.Loop(steps, 1)
		best = min(best, time.Duration(cpu.ThreadNs()-begun))
	}
	return float64(best) / steps
})

// plantOf are the loops per operation that take a share of the CPU time of each figure.
func plantOf(share float64, perOp []float64) string {
	var list []string
	for _, ns := range perOp {
		list = append(list, strconv.FormatFloat(share*ns/loopNs(), 'g', 5, 64))
	}
	return strings.Join(list, ",")
}

// A server's first figure is slowed where it executes a batch. Only a build for the self-test has
// that.
const (
	executeFile   = "kvs/partition/core.go"
	executeBegins = "func (c *Core) Execute(ops []Op, out []byte) []byte {\n"
	executePlant  = "\tsubject.SpinServer(len(ops))\n"
	importsBegin  = "import \"dpukv/kvs\"\n"
	importsPlant  = "import \"dpukv/internal/test/subject\"\n"
)

// plantServer writes an overlay for "go build" by which a tree's servers are slowed.
func plantServer(tree, dir string) (overlay string, err error) {
	path, err := filepath.Abs(filepath.Join(tree, executeFile))
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := string(source)
	for _, plant := range [][2]string{{executeBegins, executePlant}, {importsBegin, importsPlant}} {
		if strings.Count(text, plant[0]) != 1 {
			return "", fmt.Errorf("plant a slow-down in %s: found %d lines %q, want one", path,
				strings.Count(text, plant[0]), strings.TrimSpace(plant[0]))
		}
		text = strings.Replace(text, plant[0], plant[0]+plant[1], 1)
	}
	changed, overlay := filepath.Join(dir, "core.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, replace, 0o600)
}

// busy starts as many busy processes as there are CPUs. They are no children of this process, so
// that they count as others.
func busy(ctx context.Context) (end func(), pids []int, err error) {
	end = func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	for range runtime.NumCPU() {
		// The outer shell ends at once, and leaves the inner one to init.
		cmd := exec.CommandContext(ctx, "sh", "-c",
			"sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!")
		out, err := cmd.Output()
		if err != nil {
			return end, pids, err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			return end, pids, err
		}
		pids = append(pids, pid)
	}
	return end, pids, nil
}
