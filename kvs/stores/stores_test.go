package stores

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/pages"
	"dpukv/kvs"
)

// TestRowsAreComplete checks that every store has the required fields, and that names are unique.
func TestRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, st := range All() {
		if st.Name == "" || st.Title == "" || st.MaxBatch < 1 || st.Start == nil || st.Dial == nil ||
			st.Command.Short == "" || st.Command.Listen == "" || st.Study == (kvs.StudyDefaults{}) {
			t.Errorf("the row of %q lacks something: %+v", st.Name, st)
		}
		if (st.Protocols == nil) != (st.ProtocolHelp == "") {
			t.Errorf("%s: protocols %q with the help %q", st.Name, st.Protocols, st.ProtocolHelp)
		}
		if seen[st.Name] {
			t.Errorf("two rows have the name %s", st.Name)
		}
		seen[st.Name] = true
		if got := kvs.TitleOf(st.Name); got != st.Title {
			t.Errorf("%s: its title is %q, want %q", st.Name, got, st.Title)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		if st, err := Named(name); err != nil || st.Name != name {
			t.Errorf("%s: found %q, %v", name, st.Name, err)
		}
	}
	for name, want := range map[string]string{
		"redsi": `store: found "redsi" (did you mean redis?), allowed: mica, herd, onesided, memcached, redis, valkey, dragonfly`,
		"etcd":  `store: found "etcd", allowed: mica, herd, onesided, memcached, redis, valkey, dragonfly`,
	} {
		if _, err := Named(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// exceptions are the files and folders outside kvs/ that may name a store, with the reason.
var exceptions = map[string]string{
	"bench/":                           "compares certain stores, and is a module of its own",
	"results/claims/":                  "holds the study's findings, which are about its stores",
	"results/resultstest/":             "makes points for tests",
	"results/runfolder/runfoldertest/": "makes run folders for tests",
	"cmd/dpukv/sweep.go":               "has examples/mica.yaml in its help",
}

// TestNoStoreIsNamedElsewhere checks that an added or renamed store changes nothing outside kvs/.
func TestNoStoreIsNamedElsewhere(t *testing.T) {
	names := regexp.MustCompile(`\b(` + strings.Join(Names(), "|") + `)\b`)
	needed := map[string]bool{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "kvs" || d.Name() == "testdata" || path != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		for _, literal := range literals(t, path, text) {
			if !names.MatchString(literal) {
				continue
			}
			if e := exceptionOf(path); e != "" {
				needed[e] = true
			} else {
				t.Errorf("%s names a store in %s: derive it from this package", path, literal)
			}
		}
		return nil
	})
	must.Do(t, err)
	for e := range exceptions {
		if !needed[e] {
			t.Errorf("%s is an exception, and names no store", e)
		}
	}
}

func exceptionOf(path string) string {
	for e := range exceptions {
		if strings.HasPrefix(path, e) {
			return e
		}
	}
	return ""
}

// literals are the strings of a file, but for its imports.
func literals(t *testing.T, path string, text []byte) []string {
	file := must.Get(parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution))(t)
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if _, is := n.(*ast.ImportSpec); is {
			return false
		}
		if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
			found = append(found, l.Value)
		}
		return true
	})
	return found
}

// ownStore is the page that shows a whole store.
const ownStore = "../../docs/tasks/own-store.md"

// maxToyLines is the maximum length of the page's store, without comments and empty lines.
const maxToyLines = 156

var line = regexp.MustCompile(`(?m)^\s*[^\s/].*$`)

// TestOwnStore adds the page's store to dpukv and measures it, in a build that does not change the
// tree. A store is a package and one row.
func TestOwnStore(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds dpukv, and measures for a second")
	}
	dir := t.TempDir()
	toy := pages.File(t, ownStore, "go", "kvs/toy/toy.go")
	if n := len(line.FindAllString(toy, -1)); n > maxToyLines {
		t.Errorf("the store has %d lines, want at most %d", n, maxToyLines)
	}
	overlay := overlayOf(t, dir, map[string]string{
		"kvs/toy/toy.go":       toy,
		"kvs/toy/toy_test.go":  pages.File(t, ownStore, "go", "kvs/toy/toy_test.go"),
		"kvs/stores/stores.go": withRow(t),
	})
	test, dpukv := filepath.Join(dir, "toy.test"), filepath.Join(dir, "dpukv")
	// vet would enter the package's folder, which does not exist.
	run(t, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", test, "dpukv/kvs/toy")
	run(t, test)
	run(t, "go", "build", "-overlay", overlay, "-o", dpukv, "dpukv/cmd/dpukv")

	sweep := filepath.Join(dir, "toy.yaml")
	write(t, sweep, pages.File(t, ownStore, "yaml", "toy.yaml"))
	folder := filepath.Join(dir, "run")
	table := run(t, dpukv, "sweep", "-f", sweep, "--out", folder)
	if !regexp.MustCompile(`(?m)^All rows: Toy map, CH-SH, `).MatchString(table) {
		t.Errorf("the table has no row of the store:\n%s", table)
	}
	figures, err := filepath.Glob(filepath.Join(folder, "figures", "toy-*.svg"))
	if err != nil || len(figures) == 0 {
		t.Fatalf("no figure was drawn (%v)", err)
	}
	for _, figure := range figures {
		if svg, err := os.ReadFile(figure); err != nil || !bytes.Contains(svg, []byte("Toy map, ")) {
			t.Errorf("%s does not have the store's title (%v)", figure, err)
		}
	}
	for _, args := range [][]string{{"serve", "--help"}, {"load", "--help"}} {
		if help := run(t, dpukv, args...); !strings.Contains(help, "toy") {
			t.Errorf("dpukv %v does not name the store:\n%s", args, help)
		}
	}
}

// withRow applies the page's change to the table: each added line follows the line before it.
func withRow(t *testing.T) string {
	text := must.Get(os.ReadFile("stores.go"))(t)
	lines := strings.Split(string(text), "\n")
	at := 0
	for change := range strings.Lines(pages.File(t, ownStore, "diff", "kvs/stores/stores.go")) {
		change = strings.TrimSuffix(change, "\n")
		if added, adds := strings.CutPrefix(change, "+"); adds {
			lines = slices.Insert(lines, at, added)
			at++
			continue
		}
		if at = slices.Index(lines, strings.TrimPrefix(change, " ")) + 1; at == 0 {
			t.Fatalf("the page adds to the line %q, which the table has not", change)
		}
	}
	return strings.Join(lines, "\n")
}

// overlayOf writes source files to a folder, and the file that makes "go build" use them.
func overlayOf(t *testing.T, dir string, files map[string]string) string {
	replace := map[string]string{}
	for file, text := range files {
		source := must.Get(filepath.Abs(filepath.Join("../..", file)))(t)
		replace[source] = filepath.Join(dir, filepath.Base(file))
		write(t, replace[source], text)
	}
	text := must.Get(json.Marshal(map[string]any{"Replace": replace}))(t)
	overlay := filepath.Join(dir, "overlay.json")
	write(t, overlay, string(text))
	return overlay
}

func write(t *testing.T, file, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
}

// run gives a command's output.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", program, args, err, out, stderr.Bytes())
	}
	return string(out)
}
