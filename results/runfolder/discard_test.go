package runfolder

import (
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// TestDiscard: what Create made goes, and nothing else does.
func TestDiscard(t *testing.T) {
	for name, c := range map[string]struct {
		before, beside string // a folder, and a file that somebody puts there
		point          bool
		left           string // the innermost that stays
	}{
		"a new folder":               {left: "."},
		"one in a folder":            {before: "a", left: "a"},
		"one that was there, empty":  {before: "a/b", left: "a/b"},
		"with a file of somebody":    {beside: "a/b/notes", left: "a/b/notes"},
		"with a figure of somebody":  {beside: "a/b/figures/mine", left: "a/b/figures/mine"},
		"with a file in an outer":    {beside: "a/notes", left: "a/notes"},
		"with a point, of which all": {point: true, left: "a/b/sweep.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			must.Do(t, os.MkdirAll(filepath.Join(top, c.before), 0o777))
			w := must.Get(Create(filepath.Join(top, "a/b"), []byte("seed: 1\n"), []byte("nodes:\n")))(t)
			must.Do(t, w.AppendStart(struct{}{}))
			must.Do(t, w.AppendEnv(struct{}{}))
			if c.beside != "" {
				must.Do(t, os.WriteFile(filepath.Join(top, c.beside), nil, 0o666))
			}
			if c.point {
				must.Do(t, w.Append(&results.Point{Identity: results.Identity{ID: "p"}}, nil))
			}
			must.Do(t, w.Discard())
			var deepest string
			must.Do(t, filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
				deepest = path // names sort so that what was there comes last
				return err
			}))
			if got := must.Get(filepath.Rel(top, deepest))(t); !c.point && got != c.left {
				t.Errorf("%s stays, want %s", got, c.left)
			}
			if _, err := os.Stat(filepath.Join(top, c.left)); err != nil {
				t.Error(err)
			}
		})
	}
}
