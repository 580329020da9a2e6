package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dpukv/internal/test/must"
)

// TestPlantServer: the overlay of this tree compiles, and slows what it should.
func TestPlantServer(t *testing.T) {
	dir := t.TempDir()
	overlay := must.Get(plantServer("../..", dir))(t)
	text := string(must.Get(os.ReadFile(filepath.Join(dir, "core.go")))(t))
	must.Contain(t, text, executeBegins+executePlant)
	cmd := exec.Command("go", "vet", "-overlay", overlay, "./kvs/partition")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	changed := filepath.Join(dir, executeFile)
	must.Do(t, os.MkdirAll(filepath.Dir(changed), 0o700))
	must.Do(t, os.WriteFile(changed, []byte(strings.Replace(text, "Execute(", "Run(", 1)), 0o600))
	_, err := plantServer(dir, t.TempDir())
	must.Fail(t, err, "found 0 lines")
}

func TestPlantOf(t *testing.T) {
	if got := plantOf(.05, []float64{20 * loopNs(), 200 * loopNs()}); got != "1,10" {
		t.Errorf("found %q, want 1 and 10 loops", got)
	}
}

// TestBusy: busy processes are no children of this one, and end.
func TestBusy(t *testing.T) {
	end, pids, err := busy(context.Background())
	must.Do(t, err)
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("process %d: %v", pid, err)
		}
		if pid, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); err == nil {
			t.Errorf("process %d is a child", pid)
		}
	}
	end()
	for _, pid := range pids { // init has it end
		for syscall.Kill(pid, 0) == nil && !isZombie(pid) {
		}
	}
}

func isZombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}
