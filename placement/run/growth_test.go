package run

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/runfolder"
)

// TestFolderGrows: a run folder takes further repeats, and measures only those. It keeps what it has
// grown to, and nothing else may change.
func TestFolderGrows(t *testing.T) {
	o, _, _ := fakeOptions(t, "")
	must.Get(runFake(t, o))(t)
	o.SweepFile, o.Set = "", "repeats=3"
	if sum, err := runFake(t, o); err != nil || sum.Before != 4 || sum.Measured != 8 {
		t.Fatalf("grown to 3 repeats: got %+v, %v, want 8 points beside 4", sum, err)
	}
	o.Set = ""
	if sum, err := runFake(t, o); err != nil || sum.Points != 12 || sum.Measured != 0 {
		t.Errorf("continued: got %+v, %v, want 12 points that are there", sum, err)
	}
	folder := must.Get(runfolder.Open(o.Dir))(t)
	points, _, err := folder.All()
	must.Do(t, err)
	if differ, err := DifferFromRequest(folder, points); err != nil || differ != nil {
		t.Errorf("the sweep does not ask for its points: %v, %v", differ, err)
	}
	for set, want := range map[string]string{
		"repeats=2":         "repeats is [3] there, [2] here",
		"repeats=4,keys=20": "keys is [10] there, [20] here",
	} {
		o.Set = set
		_, err := NewPlan(o)
		must.Fail(t, err, want)
	}
}

// TestContinuesRun2026: a folder of a build with another default is continued by that default.
func TestContinuesRun2026(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run-2026")
	must.Do(t, os.CopyFS(dir, os.DirFS("../../results/testdata/run-2026")))
	p := must.Get(NewPlan(Options{Dir: dir, Stderr: io.Discard}))(t)
	folder := must.Get(runfolder.Resume(dir))(t)
	defer folder.Close()
	due := p.due(folder.Done)
	if len(p.points) != 4 || len(due) != 1 || due[0].ID != "mica-CH-SH-off-path-get0.95-s1-c1-d25ce207-r1" {
		t.Errorf("found %d points, and due are %+v; want 4, and the one that failed", len(p.points), due)
	}
	points, _, err := folder.All()
	must.Do(t, err)
	if differ, err := DifferFromRequest(folder.Run, points); err != nil || differ != nil {
		t.Errorf("found %v, %v", differ, err)
	}

	// What the file says is no default.
	held := filepath.Join(dir, "sweep.yaml")
	text := must.Get(os.ReadFile(held))(t)
	must.Do(t, os.WriteFile(held, append(text, "arrivals: poisson\n"...), 0o600))
	_, err = NewPlan(Options{Dir: dir, Stderr: io.Discard})
	must.Fail(t, err, "arrivals: asked for poisson, used ")
}
