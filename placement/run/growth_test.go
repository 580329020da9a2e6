package run

import (
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
