package layout

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// mostInCycle is the size of a package's largest cycle of files. Files of a cycle can only be read
// together.
const mostInCycle = 12

// largerCycles are the packages with a larger one, and its size. A size may only fall.
var largerCycles = map[string]int{
	"client":          17, // a load thread, its recorder and its gates share the load's state
	"kvs/partition":   13, // index, log and batches are one algorithm over the same words
	"placement/sweep": 15, // the table of keys and what the keys set name each other
	"verbs/softroce":  16, // queue pairs, packets and memory regions are one device
}

// pkg is a package as "go list" shows it.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// arrows leads from each file of a package to the files whose names it uses.
type arrows map[string]map[string]bool

// TestCycles types every large package. With -v, it logs the small ones' cycles, too.
func TestCycles(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds: make lint runs it")
	}
	read(t, root, ".go") // so that a cached result is not of other files
	packages, export := list(t)
	for _, p := range packages {
		folder := strings.TrimPrefix(p.ImportPath, module+"/")
		allowed, larger := largerCycles[folder]
		if len(p.GoFiles) <= mostInCycle && !larger && !testing.Verbose() {
			continue
		}
		uses := p.arrows(t, export)
		cycle := uses.largestCycle()
		t.Logf("%-28s %2d files, %2d in the largest cycle, %3d arrows, %2d of them up", folder,
			len(p.GoFiles), len(cycle), uses.count(), uses.up())
		switch {
		case larger && len(cycle) < allowed:
			t.Errorf("%s: found a cycle of %d files, noted %d: lower it in largerCycles, or "+
				"remove it from %d", folder, len(cycle), allowed, mostInCycle)
		case len(cycle) > max(allowed, mostInCycle):
			t.Errorf("%s: found %d files that use each other's names in a circle, allowed %d: "+
				"%s: move what several need into a file that uses none of them", folder,
				len(cycle), max(allowed, mostInCycle), strings.Join(cycle, " "))
		}
	}
}

// list returns the packages of the module, and the file with the compiled types of each package
// that they import.
func list(t *testing.T) (packages []pkg, export map[string]string) {
	t.Helper()
	if os.Getenv("GOARCH") != "" {
		t.Skip("runs the go command, which is not there under an emulator")
	}
	cmd := exec.Command("go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out := must.Get(cmd.Output())(t)
	export = map[string]string{}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var p pkg
		must.Do(t, in.Decode(&p))
		export[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module+"/") {
			packages = append(packages, p)
		}
	}
	return packages, export
}

// arrows are the uses of functions, types, methods and fields that another file declares.
func (p pkg) arrows(t *testing.T, export map[string]string) arrows {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file := must.Get(parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0))(t)
		files = append(files, file)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(export[path]) }
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
	checked := must.Get(config.Check(p.ImportPath, fset, files, info))(t)
	uses := arrows{}
	for ident, object := range info.Uses {
		if object.Pkg() == checked {
			uses.add(fset.Position(ident.Pos()).Filename, fset.Position(object.Pos()).Filename)
		}
	}
	return uses
}

func (a arrows) add(from, to string) {
	from, to = filepath.Base(from), filepath.Base(to)
	if from == to {
		return
	}
	if a[from] == nil {
		a[from] = map[string]bool{}
	}
	a[from][to] = true
}

func (a arrows) count() (n int) {
	for _, to := range a {
		n += len(to)
	}
	return n
}

// largestCycle is the largest set of files of which each leads to each.
func (a arrows) largestCycle() (largest []string) {
	reached := map[string]map[string]bool{}
	for from := range a {
		reached[from] = map[string]bool{}
		a.follow(from, reached[from])
	}
	for _, from := range slices.Sorted(maps.Keys(a)) {
		var cycle []string
		for to := range reached[from] {
			if reached[to][from] {
				cycle = append(cycle, to)
			}
		}
		if len(cycle) > len(largest) {
			largest = cycle
		}
	}
	slices.Sort(largest)
	return largest
}

func (a arrows) follow(from string, reached map[string]bool) {
	for to := range a[from] {
		if !reached[to] {
			reached[to] = true
			a.follow(to, reached)
		}
	}
}

// up is the number of arrows that point up where the files stand in an order with few of them. At
// each place stands a file that no file below uses, or else the one that uses most of those below
// and is used by the fewest.
func (a arrows) up() (n int) {
	below := map[string]bool{}
	for from, to := range a {
		below[from] = true
		maps.Copy(below, to)
	}
	for len(below) > 0 {
		next, fewest, best := "", 0, 0
		for _, file := range slices.Sorted(maps.Keys(below)) {
			users, used := 0, 0
			for other := range below {
				if a[other][file] {
					users++
				}
				if a[file][other] {
					used++
				}
			}
			score := used - users
			if users == 0 {
				score = len(below) // above all others
			}
			if next == "" || score > best {
				next, fewest, best = file, users, score
			}
		}
		n += fewest
		delete(below, next)
	}
	return n
}

// TestArrows: a method, a field and a type lead to their files; words of a comment lead nowhere.
func TestArrows(t *testing.T) {
	dir := write(t, map[string]string{
		"a.go": "package a\n\ntype A struct{ n int }\n\nfunc (a A) Do() { a.end() }\n",
		"b.go": "package a\n\nfunc (a A) end() { _ = a.n }\n",
		"c.go": "package a\n\nfunc c(a A) { a.Do() }\n",
		"d.go": "package a\n\n// c ends.\nfunc d(end int) int { return end }\n",
	})
	p := pkg{Dir: dir, ImportPath: "a", GoFiles: []string{"a.go", "b.go", "c.go", "d.go"}}
	uses := p.arrows(t, nil)
	if cycle := uses.largestCycle(); !slices.Equal(cycle, []string{"a.go", "b.go"}) {
		t.Errorf("found the cycle %v, want a.go and b.go", cycle)
	}
	if uses.count() != 3 || uses.up() != 1 {
		t.Errorf("found %d arrows, %d of them up, want 3 and 1: %v", uses.count(), uses.up(), uses)
	}
}

func TestUp(t *testing.T) {
	ring := arrows{"a": {"b": true}, "b": {"c": true}, "c": {"d": true}, "d": {"a": true}}
	if len(ring.largestCycle()) != 4 || ring.up() != 1 {
		t.Errorf("a ring: found %v and %d", ring.largestCycle(), ring.up())
	}
	delete(ring, "d")
	if len(ring.largestCycle()) != 0 || ring.up() != 0 {
		t.Errorf("a line: found %v and %d", ring.largestCycle(), ring.up())
	}
}
