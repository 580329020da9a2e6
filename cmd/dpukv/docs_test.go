package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpukv/results"
)

// A page's fenced blocks are executed, from top to bottom and in one folder, with dpukv on the path and the examples beside
// them:
//
//	sh            each line runs and must succeed
//	sh elsewhere  needs more than this machine: the subcommand and the flags of each dpukv line must exist
//	yaml FILE     is written to FILE
var fence = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([^\n]*))?\n(.*?)^```$")

func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures as the pages do, for half a minute")
	}
	bin := filepath.Dir(build(t))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
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

// followPage does what a reader would do.
func followPage(t *testing.T, path string) {
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		language, info, text := block[1], block[2], block[3]
		switch {
		case language == "yaml" && info != "":
			if err := os.WriteFile(filepath.Join(dir, info), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		case language == "sh" && info == "":
			for line := range strings.Lines(text) {
				typed(t, dir, strings.TrimSpace(line))
			}
		case language == "sh" && info == "elsewhere":
			for line := range strings.Lines(text) {
				exists(t, strings.TrimSpace(line))
			}
		default:
			t.Errorf("a block ```%s %s: want sh, sh elsewhere, or yaml FILE", language, info)
		}
	}
	checkLinks(t, path, string(page))
	checkRuns(t, dir)
}

func typed(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
}

// exists holds the subcommand and the flags of a line against the command tree.
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

var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

// checkLinks: what a page points to is there.
func checkLinks(t *testing.T, path, page string) {
	t.Helper()
	for _, l := range link.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), l[1])); err != nil {
			t.Error(err)
		}
	}
}

// checkRuns: every run folder that a page made has points, and all are well.
func checkRuns(t *testing.T, dir string) {
	t.Helper()
	folders, _ := filepath.Glob(filepath.Join(dir, "*", "points.jsonl"))
	for _, file := range folders {
		run, err := results.Open(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		points, bad, err := run.Points()
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
