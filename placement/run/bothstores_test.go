package run

import (
	"os"
	"path/filepath"
	"testing"

	"dpukv/placement/node"
)

// TestSweepOfBothStores measures a point of each.
func TestSweepOfBothStores(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	dir := filepath.Join(t.TempDir(), "run")
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	text := "stores: [mica, herd]\nget_ratios: 0.95\nclient_threads: 1\nkeys: 5000\nduration: 300ms\nwarmup: 50ms\nrepeats: 1\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr node.TailBuffer
	plan, err := NewPlan(Options{
		SweepFile: file, Dir: dir, Version: "test", Stdout: &stdout, Stderr: &stderr,
		command: []string{os.Args[0], "node"}, plain: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := plan.Run(t.Context()); err != nil || sum.Measured != 2 {
		t.Fatalf("got %+v, %v%s", sum, err, stderr.Lines())
	}
	for _, p := range readPoints(t, dir) {
		want := [2]string{"tcp", ""}
		if p.Store == "herd" {
			want = [2]string{"rdma", "shm"}
		}
		if got := [2]string{p.Transport, p.Provider}; got != want || p.Emulated != (p.Store == "herd") || p.Errors > 0 || p.Ops == 0 {
			t.Errorf("%+v", p)
		}
	}
}
