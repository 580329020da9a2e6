package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// folderReaders are the packages whose files lie in folders that others may have written. They go
// through package folder, which follows no links there.
var folderReaders = []string{"results", "hashbench/report", "placement/run"}

// pathCalls are what these packages may do with a path all the same, by file, with the reason.
var pathCalls = map[string][]string{
	"results/merge/merge.go":       {"os.Lstat", "os.MkdirTemp", "os.RemoveAll", "os.Rename"}, // made here
	"results/runfolder/discard.go": {"os.Lstat", "os.Remove"},                                 // made here
	"results/runfolder/near.go":    {"os.ReadDir", "os.Stat"},                                 // names for a hint
	"placement/run/plan.go":        {"os.Stat", "infile.ReadInput"},                           // the user's files
	"placement/run/beside.go":      {"os.Stat"},                                               // the user's binary
}

// harmless are calls that open nothing.
var harmless = []string{"os.Executable", "os.Hostname", "os.SameFile"}

// checkFolderFiles finds calls that open a file by its path in the packages that read folders.
func checkFolderFiles(files []source) (problems []string) {
	for _, f := range files {
		isReader := slices.ContainsFunc(folderReaders, func(folder string) bool {
			return f.folder() == folder || strings.HasPrefix(f.folder(), folder+"/")
		})
		if !isReader || f.isTest() || forTests(f.folder()) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, 0)
		if err != nil {
			panic(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selected, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := selected.X.(*ast.Ident)
			if !ok || !slices.Contains([]string{"os", "infile", "outfile", "ioutil"}, pkg.Name) &&
				!(pkg.Name == "filepath" && slices.Contains([]string{"Glob", "Walk", "WalkDir"}, selected.Sel.Name)) {
				return true
			}
			name := pkg.Name + "." + selected.Sel.Name
			if !slices.Contains(harmless, name) && !slices.Contains(pathCalls[f.path], name) {
				problems = append(problems, fmt.Sprintf("%s: found %s, want package folder: it follows no links in a "+
					"folder that others may have written", f.path, name))
			}
			return true
		})
	}
	return problems
}

func TestFolderFiles(t *testing.T) {
	for _, problem := range checkFolderFiles(read(t, root, ".go")) {
		t.Error(problem)
	}
}

func TestFolderFilesFail(t *testing.T) {
	const text = "package x\n\nimport \"os\"\n\nfunc x() { _, _ = os.ReadFile(\"x\") }\n"
	for file, want := range map[string]int{
		"results/verify/x.go": 1, "placement/run/x.go": 1, "results/verify/x_test.go": 0, "load/x.go": 0,
	} {
		if got := checkFolderFiles([]source{{file, text}}); len(got) != want {
			t.Errorf("%s: found %q, want %d", file, got, want)
		}
	}
}
