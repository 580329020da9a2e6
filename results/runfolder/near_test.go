package runfolder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

func TestNearRunFoldersAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := Near("nosuch"); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	now := time.Now()
	for i, dir := range []string{"runs/old", "runs/before", "runs/after"} {
		must.Do(t, os.MkdirAll(dir, 0o700))
		file := filepath.Join(dir, sweepFile)
		must.Do(t, os.WriteFile(file, nil, 0o600))
		when := now.Add(time.Duration(i) * time.Hour)
		must.Do(t, os.Chtimes(file, when, when))
	}
	const all = "; run folders here: runs/after, runs/before, runs/old"
	for dir, want := range map[string]string{
		"nosuch": all, "runs": all, "runs/": all,
		"runs/befor": " (did you mean runs/before?)" + all,
	} {
		if got := Near(dir); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
}
