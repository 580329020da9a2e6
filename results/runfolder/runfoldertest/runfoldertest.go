package runfoldertest

import (
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// Create makes a run folder with these points and lines of env.jsonl.
func Create(tb testing.TB, points []results.Point, env ...any) *runfolder.Run {
	tb.Helper()
	w, err := runfolder.Create(filepath.Join(tb.TempDir(), "run"), []byte("store: mica\n"), nil)
	must.Do(tb, err)
	defer w.Close()
	for _, e := range env {
		must.Do(tb, w.AppendEnv(e))
	}
	for i := range points {
		must.Do(tb, w.Append(&points[i], nil))
	}
	return w.Run
}
