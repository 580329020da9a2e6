package runfolder

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestHistogramLogThatIsNotWhole(t *testing.T) {
	log := must.Get(results.EncodeHlog([]results.Interval{
		interval(5, 6, 42),
		interval(6, 7, 43),
	}))(t)
	lastLine := bytes.LastIndexByte(log[:len(log)-1], '\n') + 1 // a log that is cut there reads well
	zeros := append(bytes.Clone(log[:len(log)-8]), make([]byte, 8)...)
	for name, c := range map[string]struct {
		damage     func(path string) error
		note, hist string
	}{
		"whole": {func(string) error { return nil }, "", ""},
		"a line lost": {func(path string) error {
			return os.Truncate(path, int64(lastLine))
		}, "the file is incomplete", "the file is incomplete"},
		"empty": {func(path string) error {
			return os.Truncate(path, 0)
		}, "found 0 bytes, its point has", "found 0 bytes"},
		"removed": {os.Remove, "found no file, its point has", "no such file"},
		"zeros instead": {func(path string) error {
			return os.WriteFile(path, zeros, 0o600)
		}, "", "found the checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRun(t)
			p := resultstest.LocalPoint(resultstest.WithID("a"))
			must.Do(t, w.Append(&p, log))
			must.Do(t, c.damage(w.in.Path(histName("a"))))
			ids, bad := pointIDs(t, w.Run)
			if len(ids) != 1 || (c.note == "") != (len(bad) == 0) {
				t.Fatalf("points %q, notes %v, want %q", ids, bad, c.note)
			}
			if c.note != "" && !(strings.HasPrefix(bad[0].String(), "hist/a.hlog: ") &&
				strings.Contains(bad[0].String(), c.note)) {
				t.Errorf("noted %s, want %s", bad[0], c.note)
			}
			_, err := w.Histograms("a")
			must.Fail(t, err, c.hist)
		})
	}
}

func TestEmptiedSweepIsNoted(t *testing.T) {
	w := newRun(t)
	edit(t, w.Run, sweepFile, func([]byte) []byte { return nil })
	want := "sweep.yaml: found an empty file: the sweep file is lost"
	if _, bad := pointIDs(t, w.Run); len(bad) != 1 || bad[0].String() != want {
		t.Errorf("noted %v", bad)
	}
}
