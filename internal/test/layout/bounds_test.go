package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// exception has the calls of a file that read without a bound of their own, and their bound.
type exception struct {
	calls int
	bound string
}

const (
	kernel = "files of /proc and /sys: the kernel's" // and of cgroups
	tail   = "program.Process.Output: the last 1,000 bytes"
	binary = "files that come with this program"
	tokens = "the file's tokens, which strictyaml.Tokens counts before"
)

// unbounded are the files that read without a bound. All others read with internal/foreign and
// internal/infile, whose errors name the bound.
var unbounded = map[string]exception{
	"internal/foreign/bound.go": {1, "the helper itself: foreign.Limit"},

	"internal/cpu/occupied.go":              {1, kernel},
	"internal/cpu/threads.go":               {1, kernel},
	"internal/doctor/doctor.go":             {1, kernel},
	"internal/energy/rapl.go":               {1, kernel},
	"internal/killed/killed.go":             {1, kernel + ", or a foreign.Output"},
	"internal/machine/root.go":              {1, kernel},
	"internal/offheap/cgroup.go":            {1, kernel},
	"internal/offheap/kernel.go":            {1, kernel},
	"internal/tcpinfo/holder.go":            {1, kernel},
	"kvs/internal/installed/affinity.go":    {2, kernel},
	"placement/cardreport/collect.go":       {2, kernel},
	"placement/cardreport/probes.go":        {1, kernel},
	"placement/emulate/keeper/group.go":     {2, kernel},
	"placement/emulate/keeper/hierarchy.go": {3, kernel},
	"placement/emulate/keeper/processes.go": {1, kernel},
	"placement/emulate/standing.go":         {1, kernel},
	"placement/emulate/throttling.go":       {1, kernel},
	"placement/rehearsal/programs.go":       {3, kernel + ", and the emulated card's own state"},
	"placement/submode/process/stat.go":     {1, kernel},
	"placement/survey/interfaces.go":        {1, kernel},
	"placement/testbed/lock.go":             {2, kernel},
	"probe/memory/stream/cache.go":          {1, kernel},
	"verbs/ibverbs/device.go":               {1, kernel},
	"verbs/ibverbs/gidtable.go":             {1, kernel},

	"kvs/internal/installed/server.go": {1, tail},
	"probe/network/stream/client.go":   {1, tail},
	"probe/network/stream/server.go":   {3, tail},

	"placement/node/card.go": {1, "a datagram"},

	"results/claims/book.go":       {1, binary},
	"results/report/write.go":      {1, binary},
	"placement/emulate/profile.go": {1, tokens},
	"results/runfolder/merged.go":  {1, tokens},
}

// readers are functions that read to an end that another party decides on.
var readers = map[string][]string{
	"io": {"ReadAll"}, "os": {"ReadFile"}, "fs": {"ReadFile"}, "ioutil": {"ReadAll", "ReadFile"},
	"bufio": {"NewScanner"}, "json": {"NewDecoder"}, "httputil": {"DumpRequest", "DumpResponse"},
	"yaml": {"NewDecoder", "Unmarshal", "UnmarshalWithOptions"},
}

// methods do the same. Those without arguments run a command.
var methods = map[string]int{
	"ReadString": 1, "ReadBytes": 1, "ReadLine": 0, "ReadFrom": 1, "Output": 0, "CombinedOutput": 0,
}

// unboundedReads finds the calls of a file that read without a bound, and commands that write into
// a plain buffer.
func unboundedReads(f source) (where []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.path, f.text, 0)
	if err != nil {
		panic(err)
	}
	packages, buffers := map[string]bool{}, map[string]bool{}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		packages[strings.TrimPrefix(path[strings.LastIndex(path, "/")+1:], "go-")] = true
	}
	found := func(n ast.Node, what string) {
		where = append(where, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), what))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if isBuffer(n.Type) {
				for _, name := range n.Names {
					buffers[name.Name] = true
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				to, ok := left.(*ast.SelectorExpr)
				if ok && (to.Sel.Name == "Stdout" || to.Sel.Name == "Stderr") && i < len(n.Rhs) &&
					intoBuffer(n.Rhs[i], buffers) {
					found(n, to.Sel.Name+" of a command in a buffer")
				}
			}
		case *ast.CallExpr:
			call, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || overBytes(n) {
				return true
			}
			name, of := call.Sel.Name, ""
			if id, ok := call.X.(*ast.Ident); ok && packages[id.Name] {
				of = id.Name
			}
			args, method := methods[name]
			if slices.Contains(readers[of], name) || of == "" && method && len(n.Args) == args {
				found(n, strings.TrimPrefix(of+"."+name, "."))
			}
		}
		return true
	})
	return where
}

func isBuffer(t ast.Expr) bool {
	of, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := of.X.(*ast.Ident)
	return ok && slices.Contains([]string{"bytes.Buffer", "strings.Builder"}, from.Name+"."+of.Sel.Name)
}

// intoBuffer reports whether an expression leads to a plain buffer.
func intoBuffer(e ast.Expr, buffers map[string]bool) (leads bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			id, ok := n.X.(*ast.Ident)
			leads = leads || ok && buffers[id.Name]
		case *ast.SelectorExpr:
			leads = leads || isBuffer(n) // new(bytes.Buffer), &strings.Builder{}
		}
		return true
	})
	return leads
}

// overBytes reports whether a call reads from bytes that are in memory already.
func overBytes(call *ast.CallExpr) bool {
	for _, arg := range call.Args {
		inner, ok := arg.(*ast.CallExpr)
		if !ok {
			continue
		}
		of, ok := inner.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		from, ok := of.X.(*ast.Ident)
		if ok && of.Sel.Name == "NewReader" && (from.Name == "bytes" || from.Name == "strings") {
			return true
		}
	}
	return false
}

// checkBounds compares the reads of files with the exceptions.
func checkBounds(files []source, allowed map[string]exception) (problems []string) {
	seen := map[string]bool{}
	for _, f := range files {
		if f.isTest() || forTests(f.folder()) || strings.Contains(f.folder(), "/internal/pipetest") ||
			f.folder() == "internal/guest" { // boots machines for tests
			continue
		}
		where, e := unboundedReads(f), allowed[f.path]
		seen[f.path] = true
		if len(where) != e.calls {
			problems = append(problems, fmt.Sprintf("%s: found %d reads without a bound, noted %d (%s): "+
				"read with internal/foreign or internal/infile, or note the bound in unbounded\n  %s",
				f.path, len(where), e.calls, e.bound, strings.Join(where, "\n  ")))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(allowed)) {
		if !seen[path] {
			problems = append(problems, path+": found no such file: take it out of unbounded")
		}
	}
	return problems
}

// TestBounds: what another party sends is read with a bound.
func TestBounds(t *testing.T) {
	for _, problem := range checkBounds(read(t, root, ".go"), unbounded) {
		t.Error(problem)
	}
}

func TestBoundsFail(t *testing.T) {
	for text, want := range map[string]int{
		"io.ReadAll(r)": 1, "os.ReadFile(p)": 1, "fs.ReadFile(f, p)": 1, "bufio.NewScanner(r)": 1,
		"r.ReadString('x')": 1, "bufio.NewReader(r).ReadBytes('x')": 1, "r.ReadLine()": 1,
		"b.ReadFrom(r)": 1, "json.NewDecoder(r)": 1, "cmd.Output()": 1, "exec.Command(p).CombinedOutput()": 1,
		"yaml.Unmarshal(b, v)": 1, "cmd.Stdout = &b": 1, "cmd.Stderr = &s": 1,
		"cmd.Stdout, cmd.Stderr = io.MultiWriter(w, &b), new(bytes.Buffer)": 2,

		"foreign.ReadAll(r, w, 1)": 0, "foreign.ReadLine(r, w, 1)": 0, "infile.Read(p, 1)": 0,
		"json.NewDecoder(bytes.NewReader(b))": 0, "bufio.NewScanner(strings.NewReader(s))": 0,
		"r.ReadSlice('x')": 0, "json.Unmarshal(b, v)": 0, "files.ReadFile(p)": 0,
		"cmd.Stdout = &tail": 0, "cmd.Stdout = os.Stdout": 0, "p.Output(1)": 0,
	} {
		f := source{"a/a.go", "package a\n\nimport (\n\"bufio\"\n\"bytes\"\n\"encoding/json\"\n\"io\"\n\"io/fs\"\n" +
			"\"os\"\n\"strings\"\n\"github.com/goccy/go-yaml\"\n)\n\n" +
			"func a() {\nvar b bytes.Buffer\nvar s strings.Builder\n" + text + "\n}\n"}
		if found := unboundedReads(f); len(found) != want {
			t.Errorf("%s: found %q, want %d", text, found, want)
		}
		problems := checkBounds([]source{f}, map[string]exception{"a/a.go": {2, "more"}, "b.go": {}})
		if !strings.Contains(strings.Join(problems, "\n"), "b.go: found no such file") {
			t.Errorf("found %q, want b.go in it", problems)
		}
		if wants := 2 - want; (wants != 0) != (len(problems) == 2) {
			t.Errorf("%s, with 2 noted: found %q", text, problems)
		}
	}
}
