package layout

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of imports in "+architectureMD)

func TestImports(t *testing.T) {
	path := filepath.Join(root, architectureMD)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parsed, folders := mustParse(t, string(text)), mustReadTree(t, root)
	if *update {
		if err := parsed.update(folders); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(parsed.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range parsed.checkImports(folders) {
		t.Error(problem)
	}
}

// importing is a folder with imports. The imports after "tests" are those of its tests.
func importing(path string, imports ...string) *folder {
	f := &folder{path: path, imports: map[string]bool{}, testImports: map[string]bool{}}
	into := f.imports
	for _, name := range imports {
		if name == "tests" {
			into = f.testImports
			continue
		}
		into[name] = true
	}
	return f
}

func someFolders() []*folder {
	return []*folder{
		importing("a", "a/x", "b", "b/c/d"), importing("b", "tests", "b/c"), importing("b/c/d"),
	}
}

func TestCheckImports(t *testing.T) {
	for name, test := range map[string]struct {
		more []*folder
		want string
	}{
		"fine":                {nil, ""},
		"within a row":        {[]*folder{importing("a/x", "a")}, ""},
		"tests of an allowed": {[]*folder{importing("a/x", "tests", "b")}, ""},
		"not allowed": {
			[]*folder{importing("b/e", "a/x")},
			"b/e imports a/x: row b (may import) allows nothing, not a: move the code",
		},
		"not allowed beside tests": {
			[]*folder{importing("b/e", "b/c")},
			"b/e imports b/c: row b (may import) allows nothing, not b/c",
		},
		"not allowed in tests": {
			[]*folder{importing("b/c", "tests", "a")},
			"b/c imports a: row b/c (its tests also) allows nothing, not a",
		},
		"no row": {[]*folder{importing("e")}, "e: found no row for it"},
	} {
		folders := append(someFolders(), test.more...)
		problems := strings.Join(mustParse(t, someTable).checkImports(folders), "\n")
		if (problems == "") != (test.want == "") || !strings.Contains(problems, test.want) {
			t.Errorf("%s: found %q, want %q", name, problems, test.want)
		}
	}
}

// TestCheckImportsStale: three things fail: a row without a folder, a permission without an import,
// and a row above a row that imports it.
func TestCheckImportsStale(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"row": {
			"| `b/c` |  |  |", "| `none` |  |  |\n| `b/c` |  |  |",
			"row none: found no folder that belongs to it",
		},
		"permission": {"| `b` |  |", "| `b` | `b/c` |", "row b (may import): found no import of b/c"},
		"in tests": {
			"| `b/c` |  |  |", "| `b/c` |  | `b` |",
			"row b/c (its tests also): found no import of b",
		},
		"direction": {
			header, header + "| `b/c/d` |  |  |\n",
			"row a: found b/c/d in it, which has no row below",
		},
	} {
		text := strings.Replace(someTable, test.old, test.new, 1)
		if name == "direction" {
			text = strings.Replace(text, "`b`, `b/c` |", "`b`, `b/c/d` |", 1)
		}
		problems := strings.Join(mustParse(t, text).checkImports(someFolders()), "\n")
		if !strings.Contains(problems, test.want) {
			t.Errorf("%s: found %q, want %q", name, problems, test.want)
		}
	}
}

// TestUpdate: rows that do not fit lead to the same table.
func TestUpdate(t *testing.T) {
	parsed := mustParse(t, "Before.\n\n"+header+"| `none` |  |  |\n| `b/c` | `a` |  |\n\nAfter.\n")
	if err := parsed.update(someFolders()); err != nil {
		t.Fatal(err)
	}
	if got := parsed.String(); got != someTable {
		t.Errorf("found\n%s\nwant\n%s", got, someTable)
	}
	parsed.rows = nil
	err := parsed.update([]*folder{importing("a"), importing("a/x", "a")})
	if err != nil || len(parsed.rows) != 2 || parsed.rows[0].folder != "a/x" {
		t.Errorf("without rows: found %v, %v, want one for each folder", parsed.rows, err)
	}
	circle := []*folder{
		importing("a/x", "b/y"), importing("b/z", "a/w"), importing("a"), importing("b"),
	}
	parsed.rows = []row{{folder: "a"}, {folder: "b"}}
	if err := parsed.update(circle); err == nil || !strings.Contains(err.Error(), "among a, b") {
		t.Errorf("a circle: found %v", err)
	}
}
