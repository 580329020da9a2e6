package layout

import (
	"fmt"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// layers are the folders from above to below. A package belongs to the longest name that begins its
// path; a name with a star stands for each folder there. It imports packages of its own name and of
// the lines below, none beside or above it.
var layers = [][]string{
	{"cmd/dpukv", "packaging"},
	{"placement/run"},
	{"placement/trial"},
	{"placement/path", "placement/plan"},
	{"placement/estimate", "placement/submodetool", "placement/testbedcheck"},
	{"placement/process"},
	{"placement/machines"},
	{"placement/node", "placement/sweep"},
	{"placement"},
	{"placement/testbed"},
	{"placement/submode", "placement/launch", "placement/emulate"},
	{"probe/probes", "probe/series"},
	{"probe"},
	{"client"},
	{"results"},
	{"load"},
	{"kvs/stores"},
	{"kvs/mica/storehalf", "kvs/onesided"},
	{"kvs/*"},
	{"kvs/partition", "kvs/internal"},
	{"kvs"},
	{"verbs", "hashbench"},
	{"internal", "examples"},
}

// layerOf is the line of a folder and its name there, or -1 and none.
func layerOf(folder string) (line int, name string) {
	line = -1
	longest := 0
	for i, layer := range layers {
		for _, n := range layer {
			own := n
			if above, ok := strings.CutSuffix(n, "*"); ok && strings.HasPrefix(folder, above) {
				below, _, _ := strings.Cut(folder[len(above):], "/")
				own = above + below
			}
			if (folder == own || strings.HasPrefix(folder, own+"/")) && len(n) > longest {
				line, name, longest = i, own, len(n)
			}
		}
	}
	return line, name
}

// forTests tells whether a folder is for tests alone.
func forTests(folder string) bool {
	return strings.HasPrefix(folder, "internal/test/") || strings.HasSuffix(folder, "test") ||
		strings.HasSuffix(folder, "/simulation") // of the stores' servers
}

// checkLayers finds imports that point up or sideways, and those of packages for tests. Tests and
// packages for tests may import everything.
func checkLayers(files []source) (problems []string) {
	for _, f := range files {
		if f.isTest() || forTests(f.folder()) {
			continue
		}
		from, own := layerOf(f.folder())
		if from < 0 {
			problems = append(problems, fmt.Sprintf(
				"%s: found no layer for its folder: add one to layers", f.path))
			continue
		}
		for _, to := range imports(f) {
			line, name := layerOf(to)
			switch {
			case forTests(to):
				problems = append(problems, fmt.Sprintf(
					"%s imports %s, which is for tests: move what it needs", f.path, to))
			case line <= from && name != own:
				problems = append(problems, fmt.Sprintf(
					"%s imports %s: found the layer %q for it, allowed those below %q: move the "+
						"code down", f.path, to, name, own))
			}
		}
	}
	return problems
}

// imports are the folders of the module that a file imports.
func imports(f source) (folders []string) {
	file, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if below, ok := strings.CutPrefix(path, module+"/"); ok {
			folders = append(folders, below)
		}
	}
	return folders
}

func TestLayers(t *testing.T) {
	files := read(t, root, ".go")
	if len(files) < 1000 {
		t.Fatalf("found %d Go files in the repository, want more", len(files))
	}
	for _, problem := range checkLayers(files) {
		t.Error(problem)
	}
}

func TestLayersFail(t *testing.T) {
	for name, test := range map[string]struct{ path, imported, want string }{
		"down":            {"client/a.go", "kvs", ""},
		"within":          {"placement/node/a.go", "placement/node/b", ""},
		"a part":          {"kvs/a.go", "kvs/internal/sockets", `"kvs/internal" for it, allowed`},
		"up":              {"kvs/mica/a.go", "client", "kvs/mica/a.go imports client: found"},
		"beside":          {"kvs/mica/a.go", "kvs/herd", "imports kvs/herd"},
		"of a star":       {"kvs/new/a.go", "kvs/partition", ""},
		"beside a star":   {"kvs/new/a/b.go", "kvs/herd", "imports kvs/herd"},
		"beside below":    {"placement/plan/a.go", "placement/path", "imports placement/path"},
		"no layer":        {"none/a.go", "kvs", "none/a.go: found no layer"},
		"the layer above": {"placement/trial/a.go", "placement/run", "imports placement/run"},
		"of a test":       {"kvs/a_test.go", "client", ""},
		"for tests":       {"kvs/kvstest/a.go", "client", ""},
		"to a test's":     {"client/a.go", "kvs/kvstest", "which is for tests"},
	} {
		text := fmt.Sprintf("package a\n\nimport (\n\t\"os\"\n\t%q\n)\n", module+"/"+test.imported)
		problems := strings.Join(checkLayers([]source{{test.path, text}}), "\n")
		if (problems == "") != (test.want == "") || !strings.Contains(problems, test.want) {
			t.Errorf("%s: found %q, want %q", name, problems, test.want)
		}
	}
}
