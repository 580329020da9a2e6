package outfile

import (
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
)

// TestReplace: a file that can't be replaced keeps its content, and no partial file remains.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, content := range []string{"first", "second"} {
		must.Do(t, Replace(path, []byte(content)))
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v", got, err)
		}
	}
	folder := filepath.Join(dir, "folder")
	must.Do(t, os.MkdirAll(filepath.Join(folder, "full"), 0o777))
	if err := Replace(folder, []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("found %v, %v, want the file and the folder", entries, err)
	}
}
