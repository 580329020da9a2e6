package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// Fault is a fixed fault, and the edits that put it back.
type Fault struct {
	Name  string
	Edits []Edit
	// Want is part of the failure that the simulation then reports.
	Want string
}

// Edit replaces a text that occurs once in a file. The file's path starts at the test's package.
type Edit struct{ File, Old, New string }

// PutBack runs the tests that match a pattern once per fault, with that fault put back, and expects
// them to fail. The tests are those of the calling package. It takes minutes for a whole server,
// and its outcome changes only with a server or its simulation: so "make simulate" runs it.
func PutBack(t *testing.T, pattern string, faults []Fault) {
	t.Helper()
	if *seeds == 0 {
		t.Skip("builds the package once for each fault: make simulate")
	}
	putBack(t, pattern, faults)
}

func putBack(t *testing.T, pattern string, faults []Fault) {
	t.Helper()
	for _, f := range faults {
		t.Run(f.Name, func(t *testing.T) {
			out, err := f.run(t, pattern)
			switch {
			case err == nil:
				t.Errorf("the simulation does not notice: %s", out)
			case !strings.Contains(out, f.Want):
				t.Errorf("the simulation fails (%v), but not with %q: %s", err, f.Want, out)
			}
		})
	}
}

func (f *Fault) run(t *testing.T, pattern string) (string, error) {
	replace := map[string]string{}
	for _, e := range f.Edits {
		path := must.Get(filepath.Abs(e.File))(t)
		text := e.apply(t, cmp.Or(replace[path], path))
		replace[path] = filepath.Join(t.TempDir(), filepath.Base(path))
		must.Do(t, os.WriteFile(replace[path], text, 0o600))
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text := must.Get(json.Marshal(map[string]any{"Replace": replace}))(t)
	must.Do(t, os.WriteFile(overlay, text, 0o600))
	out, err := exec.Command("go", "test", "-count=1", "-vet=off", "-overlay", overlay,
		"-run", pattern, ".").CombinedOutput()
	if strings.Contains(string(out), "[build failed]") {
		t.Fatalf("the fault does not compile: %s", out)
	}
	return string(out), err
}

// apply returns the edited text of a file.
func (e *Edit) apply(t *testing.T, path string) []byte {
	text := must.Get(os.ReadFile(path))(t)
	if n := bytes.Count(text, []byte(e.Old)); n != 1 {
		t.Fatalf("%s holds this text %d times, want once: %s", e.File, n, e.Old)
	}
	return bytes.Replace(text, []byte(e.Old), []byte(e.New), 1)
}
