package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"dpukv/internal/test/must"
	"dpukv/internal/test/pages"
	"dpukv/internal/test/reference"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

// TestReference compares the generated pages with the code.
func TestReference(t *testing.T) {
	fields := must.Get(reference.PointFields("../.."))(t)
	for name, page := range map[string]string{
		"commands.md":     reference.Commands(newRootCommand()),
		"point-fields.md": fields,
		"sweep-keys.md":   reference.SweepKeys(),
		"testbed-keys.md": reference.TestbedKeys(),
	} {
		path := filepath.Join("../../docs/reference", name)
		if resultstest.Updating() {
			must.Do(t, os.WriteFile(path, []byte(page), 0o644))
		}
		found, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		if diff := reference.Diff(string(found), page); diff != "" {
			t.Errorf("docs/reference/%s is out of date: go test ./cmd/dpukv -run TestReference -update"+
				" writes it anew. The changes are:\n%s", name, diff)
		}
	}
}

// TestDocs follows every page of the documentation on this machine, with dpukv on the path and the
// examples beside it. Of dpukv's lines that need more, the subcommand and the flags must exist.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures as the pages do, for half a minute")
	}
	err := filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			t.Run(strings.TrimPrefix(path, "../../docs/"), func(t *testing.T) { followPage(t, path) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadme follows README.md in a copy of the sources, because its first line builds dpukv.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures as README.md does, for a quarter of a minute")
	}
	dir := t.TempDir()
	copySources(t, "../..", dir)
	follow(t, "../../README.md", dir)
}

// copySources copies the tree without what git or a build made.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(rest, ".") && rest != "."
		switch {
		case d.IsDir() && (hidden || rest == "dist"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rest), 0o755)
		case !d.Type().IsRegular() || hidden || strings.HasPrefix(rest, "dpukv"):
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rest), data, 0o644)
	}))
}

// followPage follows a page in a folder that has the examples.
func followPage(t *testing.T, path string) {
	dir := t.TempDir()
	examples := must.Get(filepath.Abs("../../examples"))(t)
	must.Do(t, os.Symlink(examples, filepath.Join(dir, "examples")))
	follow(t, path, dir)
}

func follow(t *testing.T, path, dir string) {
	t.Helper()
	pages.Follow(t, path, &pages.Machine{
		Run: func(line string) ([]byte, error) {
			cmd := exec.CommandContext(t.Context(), "sh", "-euc", line)
			cmd.Dir = dir
			return cmd.CombinedOutput()
		},
		Write: func(file, text string) error { return os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644) },
		NotRun: func(line, needs string) {
			t.Logf("not run, as it needs %s: %s", needs, line)
			exists(t, line)
		},
	})
	checkRuns(t, dir)
}

// TestHelpExamples checks the examples in the help of each command: the subcommand and the flags
// must exist.
func TestHelpExamples(t *testing.T) {
	count := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", "")) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !strings.HasPrefix(line, "dpukv ") {
				t.Errorf("%s: the example %q does not begin with dpukv", cmd.CommandPath(), line)
			}
			if end := strings.IndexAny(line, ";|&>"); end >= 0 {
				line = line[:end] // the shell and other programs
			}
			exists(t, line)
			count++
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(newRootCommand())
	if count < 30 {
		t.Errorf("found %d examples, want 30 or more", count)
	}
}

// exists checks the subcommand and the flags of a line against the command tree.
func exists(t *testing.T, line string) {
	t.Helper()
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "dpukv" {
		return
	}
	cmd, rest, err := newRootCommand().Find(words[1:])
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil || !cmd.HasParent() {
		t.Errorf("%s: %v", line, err)
	}
}

// checkRuns checks that every run folder of a page has points, and that all points are ok.
func checkRuns(t *testing.T, dir string) {
	t.Helper()
	folders, _ := filepath.Glob(filepath.Join(dir, "*", "points.jsonl"))
	for _, file := range folders {
		run := must.Get(runfolder.Open(filepath.Dir(file)))(t)
		points, bad, err := run.All()
		if err != nil || len(bad) > 0 || len(points) == 0 {
			t.Errorf("%s: %d points, bad lines %v, %v", file, len(points), bad, err)
		}
		for i := range points {
			if points[i].Status != results.StatusOK {
				t.Errorf("%s: %s", points[i].ID, points[i].Error)
			}
		}
	}
}
