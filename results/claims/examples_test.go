package claims

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"

	"github.com/goccy/go-yaml"
)

var (
	shellBlock   = regexp.MustCompile("(?ms)^```sh[^\n]*\n(.*?)^```")
	sweepCommand = regexp.MustCompile(`dpukv sweep -f examples/([a-z0-9-]+\.yaml).*--out (\S+)`)
	claimCommand = regexp.MustCompile(`dpukv (?:run )?claims (.+)`)
	anExample    = regexp.MustCompile(`examples/([a-z0-9-]+\.yaml)`)
)

// TestExamplesSufficeForVerdicts: a sweep that a page or its own comment names for dpukv run claims has
// the repeats that a verdict needs.
func TestExamplesSufficeForVerdicts(t *testing.T) {
	named := map[string]string{} // by the file, who names it
	pages, err := filepath.Glob("../../docs/tasks/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	for _, page := range pages {
		for name := range examplesOf(t, read(t, page)) {
			named[name] = page
		}
	}
	sweeps := must.Get(filepath.Glob("../../examples/*.yaml"))(t)
	for _, file := range sweeps {
		if strings.Contains(read(t, file), "#   dpukv run claims DIR") {
			named[filepath.Base(file)] = file
		}
	}
	for _, name := range []string{"lynx-fig9.yaml", "lynx-neighbour.yaml"} {
		if named[name] == "" {
			t.Errorf("nobody names %s for dpukv run claims", name)
		}
	}
	for name, by := range named {
		var sweep struct{ Repeats int }
		must.Do(t, yaml.Unmarshal([]byte(read(t, "../../examples/"+name)), &sweep))
		if sweep.Repeats < minRepeats {
			t.Errorf("%s names %s for dpukv run claims: found %d repeats, want %d or more", by, name,
				sweep.Repeats, minRepeats)
		}
	}
}

// TestLoadsOfTheSweepsSuffice: curves at the three loads of our sweeps decide every claim that those
// of the study decide.
func TestLoadsOfTheSweepsSuffice(t *testing.T) {
	loads := map[string][]int{} // of the off-path figures, by the store
	for store, name := range map[string]string{"herd": "fig8.yaml", "mica": "fig9.yaml"} {
		var sweep struct {
			Threads []int `yaml:"client_threads"`
		}
		must.Do(t, yaml.Unmarshal([]byte(read(t, "../../examples/"+name)), &sweep))
		loads[store] = sweep.Threads
	}
	decided := func(runs []Run) (names []string) {
		for _, o := range book(t).Evaluate(Evidence{Runs: runs, Hashes: studyHashes()}) {
			if o.Verdict == Agrees || o.Verdict == Disagrees {
				names = append(names, o.Finding+": "+o.Says+", "+o.About())
			}
		}
		return names
	}
	want, runs := decided(studyRuns()), studyRuns()
	for _, r := range runs {
		for i := range r.Points {
			if p := &r.Points[i]; p.Submode == "off-path" && p.ServerThreads < 12 {
				p.ClientThreads = loads[p.Store][map[int]int{1: 0, 2: 1, 4: 2}[p.ClientThreads]]
			}
		}
	}
	got := decided(runs)
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("not decided at the loads %v: %s", loads, name)
		}
	}
}

// examplesOf are the examples that a page names for dpukv run claims: those whose folders a command
// reads, and those in paragraphs about claims.
func examplesOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	folders, names := map[string]string{}, map[string]bool{}
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		for _, m := range sweepCommand.FindAllStringSubmatch(block[1], -1) {
			folders[m[2]] = m[1]
		}
		for _, m := range claimCommand.FindAllStringSubmatch(block[1], -1) {
			for folder := range strings.FieldsSeq(m[1]) {
				if name := folders[folder]; name != "" {
					names[name] = true
				}
			}
		}
	}
	for paragraph := range strings.SplitSeq(shellBlock.ReplaceAllString(page, ""), "\n\n") {
		if strings.Contains(paragraph, "claims") {
			for _, m := range anExample.FindAllStringSubmatch(paragraph, -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}

func read(t *testing.T, file string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(file))(t))
}
