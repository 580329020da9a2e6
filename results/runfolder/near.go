package runfolder

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dpukv/internal/spelling"
)

// maxNear is the number of run folders that a hint names.
const maxNear = 5

// Near says which run folders there are where the user may have meant one: in dir, beside it, and
// below runs/. It is empty if there is none. The newest comes first.
func Near(dir string) string {
	var near []string
	for _, parent := range []string{dir, filepath.Dir(dir), "runs"} {
		for _, run := range below(parent) {
			if !slices.Contains(near, run) && run != filepath.Clean(dir) {
				near = append(near, run)
			}
		}
	}
	if near == nil {
		return ""
	}
	hint := spelling.Hint(filepath.Clean(dir), near)
	if len(near) > maxNear {
		near = append(near[:maxNear:maxNear], "…")
	}
	return fmt.Sprintf("%s; run folders here: %s", hint, strings.Join(near, ", "))
}

// below returns the run folders in a folder, the newest first.
func below(parent string) []string {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil // it is no folder that may hold runs
	}
	var runs []string
	age := map[string]int64{}
	for _, e := range entries {
		run := filepath.Join(parent, e.Name())
		if info, err := os.Stat(filepath.Join(run, sweepFile)); err == nil {
			runs, age[run] = append(runs, run), info.ModTime().UnixNano()
		}
	}
	slices.SortStableFunc(runs, func(a, b string) int { return cmp.Compare(age[b], age[a]) })
	return runs
}
