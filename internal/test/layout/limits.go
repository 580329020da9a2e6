package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	maxSources     = 25
	minNamedTests  = 0.80
	architectureMD = "docs/ARCHITECTURE.md"
)

// checkFolders finds folders without a doc.go, and those with too many source files.
func checkFolders(folders []*folder) (problems []string) {
	for _, f := range folders {
		if !slices.Contains(f.sources, "doc.go") {
			problems = append(problems, fmt.Sprintf(
				"%s: found no doc.go, want one: begin it with a comment on the folder's job",
				f.path))
		}
		if n := len(f.sources) - f.generated; n > maxSources {
			problems = append(problems, fmt.Sprintf(
				"%s: found %d source files, allowed %d: move a job into a folder of its own",
				f.path, n, maxSources))
		}
	}
	return problems
}

// namedTests is the share of test files with the name of a source file of their folder, in Go or in
// sh. It also returns the paths of the others.
func namedTests(folders []*folder) (share float64, others []string) {
	tests := 0
	for _, f := range folders {
		tests += len(f.tests)
		for _, name := range f.tests {
			source := strings.TrimSuffix(name, "_test.go")
			if !slices.Contains(f.sources, source+".go") &&
				!slices.Contains(f.scripts, source+".sh") {
				others = append(others, f.path+"/"+name)
			}
		}
	}
	return 1 - float64(len(others))/float64(max(tests, 1)), others
}

// quoted is a word in backquotes that is a path: one with a slash, or a Go file.
var quoted = regexp.MustCompile("`([a-zA-Z.][\\w.-]*(?:/[\\w.-]*)+|[\\w-]+\\.go)`")

// checkPaths finds paths in a text that do not exist below root. A word with a slash whose first
// part is no folder of the root is not a path.
func checkPaths(root, text string) (problems []string) {
	for _, match := range quoted.FindAllStringSubmatch(text, -1) {
		path := match[1]
		first, _, below := strings.Cut(path, "/")
		if _, err := os.Stat(filepath.Join(root, first)); below && err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path))); err != nil {
			problems = append(problems, fmt.Sprintf(
				"%s names %s: found no such file below the root: correct the path", architectureMD,
				path))
		}
	}
	return problems
}
