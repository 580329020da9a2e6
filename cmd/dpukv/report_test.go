package main

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"dpukv/results/runfolder/runfoldertest"
)

// TestReportMemory makes the page of 100,000 points within 1 GiB of memory.
func TestReportMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	run := runfoldertest.LargeStudy(t, 100_000)
	cmd := exec.Command("dpukv", "report", run.Dir(), "-o", filepath.Join(t.TempDir(), "report.html"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kib := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	t.Logf("%d MiB at most", kib>>10)
	if kib > 1<<20 {
		t.Errorf("found %d KiB of memory, want at most 1 GiB", kib)
	}
}
