package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"dpukv/results/internal/atomicfile"
	_ "dpukv/results/resultstest" // has the flag -update of "go test ./results/... -update"
)

// TestReplace: a file that can't be replaced keeps its content, and no partial file remains.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, content := range []string{"first", "second"} {
		if err := atomicfile.Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v", got, err)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(folder, []byte("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("found %v, %v, want the file and the folder", entries, err)
	}
}
