package infile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingInputsAreNamedWithWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"mica.yaml", "herd.yaml", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"mcia.yaml": "no such file or directory (did you mean mica.yaml?); the folder " + dir +
			" has herd.yaml, mica.yaml",
		"nothing-like-it.yaml": "no such file or directory; the folder " + dir + " has herd.yaml",
		"a.json":               "a.json: no such file or directory",
		"runs/a.yaml":          "; the folder " + dir + "/runs does not exist either",
	} {
		_, err := ReadInput(t.Context(), filepath.Join(dir, name), 10)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
