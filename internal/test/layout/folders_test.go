package layout

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// minNamedTests is the share of test files with the name of a source file of their folder, in Go or
// in sh.
const minNamedTests = 0.75

// checkFolders finds folders without a doc.go, and test files named after no source file.
func checkFolders(files []source) (problems, unnamed []string, tests int) {
	paths, folders := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		paths[f.path] = true
		folders[f.folder()] = folders[f.folder()] || strings.HasSuffix(f.path, ".go")
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if folders[folder] && !paths[folder+"/doc.go"] {
			problems = append(problems, fmt.Sprintf(
				"%s: found no doc.go, want one: begin it with a comment on the folder's job", folder))
		}
	}
	for _, f := range files {
		stem, isTest := strings.CutSuffix(f.path, "_test.go")
		if !isTest {
			continue
		}
		tests++
		if !paths[stem+".go"] && !paths[stem+".sh"] {
			unnamed = append(unnamed, f.path)
		}
	}
	return problems, unnamed, tests
}

func TestFolders(t *testing.T) {
	problems, unnamed, tests := checkFolders(read(t, root, ".go", ".sh"))
	for _, problem := range problems {
		t.Error(problem)
	}
	share := 1 - float64(len(unnamed))/float64(tests)
	t.Logf("%.1f %% of the test files are named after a source file", 100*share)
	if share < minNamedTests {
		t.Errorf("found %.1f %%, want %.0f %%: rename tests after what they test, of these:\n%s",
			100*share, 100*minNamedTests, strings.Join(unnamed, "\n"))
	}
}

func TestFoldersFail(t *testing.T) {
	var files []source
	for _, p := range []string{
		"a/doc.go", "a/a.go", "a/a_test.go", "a/c_test.go", "b/b_test.go", "c/c.sh", "d/doc.go",
		"d/d.sh", "d/d_test.go",
	} {
		files = append(files, source{path: p})
	}
	problems, unnamed, tests := checkFolders(files)
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "b: found no doc.go") {
		t.Errorf("found the problems %q, want b's doc.go alone", problems)
	}
	if want := []string{"a/c_test.go", "b/b_test.go"}; !slices.Equal(unnamed, want) || tests != 4 {
		t.Errorf("found %q of %d tests, want %q of 4", unnamed, tests, want)
	}
}

// The limits of a line, where a tab counts as four columns. What can't be split has none: URLs,
// lines of a raw string, tags, and indented lines of comments.
const maxColumns, maxTestColumns = 100, 120

var free = regexp.MustCompile("https?://|`|^\\s*//(\t|[^\\s/])")

// longLines finds the lines that are too long. A line between backquotes is a raw string's.
func longLines(f source) (problems []string) {
	limit := maxColumns
	if f.isTest() {
		limit = maxTestColumns
	}
	raw := false
	for i, line := range strings.Split(f.text, "\n") {
		n := len([]rune(strings.ReplaceAll(line, "\t", "    ")))
		if n > limit && !raw && !free.MatchString(line) {
			problems = append(problems, fmt.Sprintf(
				"%s:%d: found %d columns, allowed %d: split the line", f.path, i+1, n, limit))
		}
		raw = raw != (strings.Count(line, "`")%2 == 1)
	}
	return problems
}

func TestLines(t *testing.T) {
	for _, f := range read(t, root, ".go") {
		for _, problem := range longLines(f) {
			t.Error(problem)
		}
	}
}

func TestLinesFail(t *testing.T) {
	long := strings.Repeat("x", 97)
	for text, want := range map[string]int{
		"\t" + long[1:]: 0, "\t" + long: 1, "\té" + long[1:]: 1, "// https://" + long: 0,
		"\t//\t" + long: 0, "//go:" + long: 0, "x := `\n\t" + long + "\n`": 0,
		"x := `\n`\n\t" + long: 1,
	} {
		if problems := longLines(source{"a.go", text}); len(problems) != want {
			t.Errorf("%s: found %q, want %d", text, problems, want)
		}
		if problems := longLines(source{"a_test.go", text}); len(problems) != 0 {
			t.Errorf("%s, in a test: found %q", text, problems)
		}
	}
}

const architecture = "docs/ARCHITECTURE.md"

var (
	// quoted is a word in backquotes that is a path: one with a slash, or a Go file.
	quoted = regexp.MustCompile("`([a-zA-Z.][\\w.-]*(?:/[\\w.-]*)+|[\\w-]+\\.go)`")
	linked = regexp.MustCompile(`\]\(([^):#]*)(?:#([^)]*))?\)`)

	fenced   = regexp.MustCompile("(?ms)^```.*?^```")
	heading  = regexp.MustCompile("(?m)^#+ (.*)$")
	unlinked = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors are the headings of a page as links name them.
func anchors(page string) (names []string) {
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		name := unlinked.ReplaceAllString(strings.ToLower(h[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// checkPage finds links to files and headings that do not exist, and such paths in
// docs/ARCHITECTURE.md. A word with a slash whose first part is no folder of the root is not a path.
func checkPage(root string, page source) (problems []string) {
	check := func(name string) {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			problems = append(problems, fmt.Sprintf(
				"%s names %s: found no such file below the root: correct the path", page.path, name))
		}
	}
	for _, match := range linked.FindAllStringSubmatch(page.text, -1) {
		name, text := path.Join(page.folder(), match[1]), page.text
		if match[1] != "" {
			check(name)
			read, _ := os.ReadFile(filepath.Join(root, name)) // check has named what is missing
			text = string(read)
		}
		if found := anchors(text); match[2] != "" && len(found) > 0 && !slices.Contains(found, match[2]) {
			problems = append(problems, fmt.Sprintf("%s links to %s: found the headings %s: correct the link",
				page.path, strings.Trim(match[0], "]()"), strings.Join(found, ", ")))
		}
	}
	if page.path != architecture {
		return problems
	}
	for _, match := range quoted.FindAllStringSubmatch(page.text, -1) {
		first, _, below := strings.Cut(match[1], "/")
		if _, err := os.Stat(filepath.Join(root, first)); !below || err == nil {
			check(match[1])
		}
	}
	return problems
}

func TestPages(t *testing.T) {
	for _, page := range read(t, root, ".md") {
		for _, problem := range checkPage(root, page) {
			t.Error(problem)
		}
	}
}

func TestPagesFail(t *testing.T) {
	for text, want := range map[string]string{
		"`kvs/`, `go.mod`, `cmd/dpukv/main.go`, `a word`":                              "",
		"`hello/world`, `Mops/s`, `/metrics`":                                          "",
		"[a](METHOD.md), [b](../go.mod#x), [c](https://x.y)":                           "",
		"[a](METHOD.md#lost-sets)\n## Why `go` \"waits\", now\n[b](#why-go-waits-now)": "",
		"[a](METHOD.md#lost-cause)":                                                    "links to METHOD.md#lost-cause",
		"[a](#b)\n# A\n```sh\n# b\n```":                                                "links to #b: found the headings a:",
		"`kvs/nothing`":                                                                "docs/ARCHITECTURE.md names kvs/nothing",
		"`cmd/dpukv/none.go`":                                                          "names cmd/dpukv/none.go",
		"`none.go`":                                                                    "names none.go",
		"[a](none.md#place)":                                                           "names docs/none.md",
		"[a](../docs), [b](../x)":                                                      "names x:",
	} {
		problems := strings.Join(checkPage(root, source{architecture, text}), "\n")
		if (problems == "") != (want == "") || !strings.Contains(problems, want) {
			t.Errorf("%s: found %q, want %q", text, problems, want)
		}
	}
}
