package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/machines"
	"dpukv/placement/sweep"
	"dpukv/results/runfolder"
)

// TestPointsCutUnderASweep: wherever points.jsonl is cut, the sweep ends with an error.
func TestPointsCutUnderASweep(t *testing.T) {
	for _, after := range []int{2, 4} {
		o, _, _ := fakeOptions(t, "")
		points := 0
		o.observe = func(event string, _ *sweep.Point, _ *machines.Machines) {
			if points++; event != "end" || points/3 != after { // begin, go, end
				return
			}
			if err := os.Truncate(filepath.Join(o.Dir, "points.jsonl"), 0); err != nil {
				t.Error(err)
			}
		}
		sum, err := runFake(t, o)
		want := "look what else writes to " + o.Dir
		if !errors.Is(err, runfolder.ErrChanged) || !strings.Contains(err.Error(), want) {
			t.Errorf("cut at point %d: got %+v, %v", after, sum, err)
		}
		data, err := os.ReadFile(filepath.Join(o.Dir, "points.jsonl"))
		if err != nil || strings.ContainsRune(string(data), 0) {
			t.Errorf("cut at point %d: it holds %.40q, %v", after, data, err)
		}
		o.observe = nil
		if sum, err := runFake(t, o); err != nil || sum.Before+sum.Measured != 4 {
			t.Errorf("continued: got %+v, %v", sum, err)
		}
	}
}

// TestSweepOfAFolderWasChanged: keys that a folder's sweep lacks do not get the built-in values.
func TestSweepOfAFolderWasChanged(t *testing.T) {
	o, _, _ := fakeOptions(t, "")
	must.Get(runFake(t, o))(t)
	o.SweepFile = ""
	held := filepath.Join(o.Dir, "sweep.yaml")
	text := must.Get(os.ReadFile(held))(t)
	for change, want := range map[string]string{
		"":              held + ": found nothing in it, allowed: at least one key",
		"# all of it\n": held + ": found nothing in it",
		string(text[:bytes.IndexByte(text, '\n')+1]): "which its sweep.yaml does not ask for",
	} {
		must.Do(t, os.WriteFile(held, []byte(change), 0o600))
		_, err := NewPlan(o)
		must.Fail(t, err, want)
	}
}

func TestSweepFileThatSaysNothing(t *testing.T) {
	o, _, _ := fakeOptions(t, "")
	must.Do(t, os.WriteFile(o.SweepFile, []byte("# later\n"), 0o600))
	_, err := NewPlan(o)
	must.Fail(t, err, "found nothing in it")
}
