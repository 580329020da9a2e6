package examples

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dpukv/internal/test/must"
)

// TestSweeps: each file of this folder is a testbed or a sweep, and each sweep has a summary that
// fits a line and a first command.
func TestSweeps(t *testing.T) {
	testbeds := must.Get(Testbeds.ReadDir("."))(t)
	var embedded []string
	for _, f := range testbeds {
		embedded = append(embedded, f.Name())
	}
	for _, s := range Sweeps() {
		embedded = append(embedded, s.Name+".yaml")
		if n := utf8.RuneCountInString(s.Summary); n < 20 || n > 100 {
			t.Errorf("%s: its first sentence has %d characters, want 20 to 100: %q", s.Name, n, s.Summary)
		}
		text := s.Text("my.yaml")
		if c := Command(text); !strings.Contains(c, " -f my.yaml") || strings.Contains(text, "examples/") {
			t.Errorf("%s: found the first command %q, want one of my.yaml and no other folder", s.Name, c)
		}
		for _, kind := range s.Testbeds() {
			if !slices.Contains(embedded, kind+".yaml") {
				t.Errorf("%s: found the testbed %s, want one of %v", s.Name, kind, embedded)
			}
		}
	}
	files := must.Get(filepath.Glob("*.yaml"))(t)
	slices.Sort(embedded)
	if !slices.Equal(files, embedded) {
		t.Errorf("found the files %v, want those that are embedded: %v", files, embedded)
	}
}
