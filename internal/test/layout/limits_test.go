package layout

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFolders(t *testing.T) {
	for _, problem := range checkFolders(mustReadTree(t, root)) {
		t.Error(problem)
	}
}

func TestFoldersFail(t *testing.T) {
	many := []string{"doc.go"}
	for len(many) < maxSources {
		many = append(many, "x.go")
	}
	for name, test := range map[string]struct {
		f    folder
		want string
	}{
		"fine":       {folder{path: "a", sources: many}, ""},
		"no doc.go":  {folder{path: "a", sources: []string{"a.go"}}, "a: found no doc.go"},
		"only tests": {folder{path: "a", tests: []string{"a_test.go"}}, "a: found no doc.go"},
		"too many": {
			folder{path: "a", sources: append(many, "y.go")}, "a: found 26 source files, allowed 25",
		},
		"one is made":  {folder{path: "a", sources: append(many, "y.go"), generated: 1}, ""},
		"many a tests": {folder{path: "a", sources: many, tests: many}, ""},
	} {
		problems := strings.Join(checkFolders([]*folder{&test.f}), "\n")
		if (problems == "") != (test.want == "") || !strings.Contains(problems, test.want) {
			t.Errorf("%s: found %q, want %q", name, problems, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	share, others := namedTests(mustReadTree(t, root))
	t.Logf("%.1f %% of the test files are named after a source file", 100*share)
	if share < minNamedTests {
		t.Errorf("found %.1f %%, want %.0f %%: rename tests after what they test, of these:\n%s",
			100*share, 100*minNamedTests, strings.Join(others, "\n"))
	}
}

func TestNamedTests(t *testing.T) {
	share, others := namedTests([]*folder{
		{
			path: "a", sources: []string{"a.go", "b.go"},
			tests: []string{"a_test.go", "b_test.go", "c_test.go"},
		},
		{path: "c", sources: []string{"c.go"}, tests: []string{"b_test.go"}},
		{
			path: "d", sources: []string{"doc.go"}, scripts: []string{"d.sh"},
			tests: []string{"d_test.go", "e_test.go"},
		},
	})
	want := []string{"a/c_test.go", "c/b_test.go", "d/e_test.go"}
	if share != 0.5 || !slices.Equal(others, want) {
		t.Errorf("found %v and %v, want 0.5 and %v", share, others, want)
	}
	if share, _ := namedTests(nil); share != 1 {
		t.Errorf("found %v of no tests", share)
	}
}

func TestPaths(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, architectureMD))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range checkPaths(root, string(text)) {
		t.Error(problem)
	}
}

func TestPathsFail(t *testing.T) {
	for text, want := range map[string]string{
		"`kvs/`, `go.mod`, `cmd/dpukv/main.go`, `a word`": "",
		"`hello/world`, `Mops/s`, `/metrics`":             "",
		"`kvs/nothing`":                                   "docs/ARCHITECTURE.md names kvs/nothing",
		"`cmd/dpukv/`, `cmd/dpukv/none.go`":               "names cmd/dpukv/none.go",
		"`none.go`":                                       "names none.go",
	} {
		problems := strings.Join(checkPaths(root, text), "\n")
		if (problems == "") != (want == "") || !strings.Contains(problems, want) {
			t.Errorf("%s: found %q, want %q", text, problems, want)
		}
	}
}
