package toys

import (
	"encoding/json"
	"go/format"
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

	"github.com/rogpeppe/go-internal/txtar"
)

const root = "../../.."

// gates are commands that the book names, and the tests that look at each row of a table.
var gates = [][]string{
	{"vet", "./kvs/toy", "./probe/toy"},
	{"test", "./placement/submode", "-run", "TestPlans", "-update"},
	{"test", "./cmd/dpukv", "-run", "TestReference", "-update"},
	{"test", "./internal/test/layout", "./kvs/toy", "./probe/probes", "./placement/sweep"},
	{"test", "./results", "./results/probechart"},
	{"test", "-short", "./placement/submode", "./kvs/stores", "-run", "Table|Fail|Plans|Rows"},
	{"test", "./cmd/dpukv", "-run", "TestReference"},
}

func TestToys(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds dpukv from a changed copy of the source")
	}
	copied := source{t, filepath.Join(t.TempDir(), "dpukv")}
	copied.copy(root)
	copied.add()
	for _, args := range gates {
		copied.run("go", args...)
	}
	copied.run("go", "build", "-o", "toyed", "./cmd/dpukv")
	copied.measures()
	plan := copied.run("./toyed", "testbed", "submode", "plan", "1", "--testbed", "examples/netns-onpath.yaml",
		"--datapath", "toy")
	if !strings.Contains(plan, "matchall") {
		t.Errorf("the plan does not use the datapath:\n%s", plan)
	}
}

// measures runs the sweep of the toys, and looks at its points and figures.
func (s source) measures() {
	table := s.run("./toyed", "sweep", "-f", "toys.yaml", "--out", "run")
	for _, row := range []string{`(?m)^All rows: Toy map, CH-SH, .*`, `(?m)^client +1000 `} {
		if !regexp.MustCompile(row).MatchString(table) {
			s.t.Errorf("found no line %s in\n%s", row, table)
		}
	}
	tints, sums := map[string]bool{}, 0
	for line := range strings.Lines(s.read("run/points.jsonl")) {
		var p struct {
			Store, Measure, Tint, Error string
			Figures                     map[string]float64
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil || p.Error != "" {
			s.t.Errorf("found %q (%v) in %s", p.Error, err, line)
		}
		if p.Store == "toy" {
			tints[p.Tint] = true
		}
		if p.Measure == "toy" && p.Figures["sums_per_s"] > 0 {
			sums++
		}
	}
	if len(tints) != 2 || !tints["red"] || !tints["blue"] || sums != 4 {
		s.t.Errorf("found the tints %v and %d sums, want red, blue and 4, of two nodes", tints, sums)
	}
	if svg := s.read("run/figures/toy-sums.svg"); !strings.Contains(svg, "toy: sums of numbers") {
		s.t.Error("the probe's figure does not have its title")
	}
}

// source is a copy of dpukv's source.
type source struct {
	t   *testing.T
	dir string
}

// copy copies what the go command reads, and what tests read.
func (s source) copy(from string) {
	s.t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(from, path)
		if d.IsDir() && path != from && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" {
			return fs.SkipDir
		}
		if info, err := d.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
			return err // a binary that somebody built, and the like
		}
		text, err := os.ReadFile(path)
		s.write(below, string(text))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// add adds the toys.
func (s source) add() {
	page := filepath.Join(root, "docs/tasks/own-store.md")
	for _, file := range []string{"kvs/toy/toy.go", "kvs/toy/toy_test.go"} {
		s.write(file, pages.File(s.t, page, "go", file))
	}
	s.write("kvs/toy/doc.go", "// Package toy is a map.\npackage toy\n")
	s.change("kvs/stores/stores.go", pages.File(s.t, page, "diff", "kvs/stores/stores.go"))

	archive := must.Get(txtar.ParseFile("testdata/toys.txtar"))(s.t)
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".diff"); ok {
			s.change(name, string(f.Data))
			continue
		}
		s.write(f.Name, string(f.Data))
	}
}

// change inserts the lines with a plus after those with a blank.
func (s source) change(name, diff string) {
	s.t.Helper()
	lines, at := strings.Split(s.read(name), "\n"), 0
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if added, ok := strings.CutPrefix(line, "+"); ok {
			lines = slices.Insert(lines, at, added)
			at++
		} else if known, ok := strings.CutPrefix(line, " "); ok {
			found := slices.Index(lines[at:], known)
			if found < 0 {
				s.t.Fatalf("%s: found no line %q below line %d", name, known, at)
			}
			at += found + 1
		}
	}
	text, err := format.Source([]byte(strings.Join(lines, "\n")))
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	s.write(name, string(text))
}

func (s source) read(name string) string {
	s.t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(s.dir, name)))(s.t)
	return string(text)
}

func (s source) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	must.Do(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(s.t, os.WriteFile(path, []byte(text), 0o755))
}

// run runs a command in the copy, and gives its output. What the go command compiles there serves
// the next copy, too.
func (s source) run(program string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), program, args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return string(out)
}
