package examples

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

// provenance are the lines of a run's README, in their order.
var provenance = []string{
	"Machines", "Site", "Measured by", "Measured on", "dpukv", "Commands", "Card", "License", "Changes", "Report",
}

var provenanceLine = regexp.MustCompile(`(?m)^- ([A-Za-z ]+): (.+)$`)

// checkRun refuses a folder of runs/ without its provenance: runs/README.md has the format.
func checkRun(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return err
	}
	value, names := map[string]string{}, []string{}
	for _, m := range provenanceLine.FindAllStringSubmatch(string(text), -1) {
		value[m[1]], names = m[2], append(names, m[1])
	}
	switch {
	case !strings.HasPrefix(string(text), "# "):
		return fmt.Errorf("README.md: found no title, allowed: a first line \"# WHAT\"")
	case !slices.Equal(names, provenance):
		return fmt.Errorf("README.md: found the lines %q, allowed: %q", names, provenance)
	}
	if _, err := time.Parse(time.DateOnly, value["Measured on"]); err != nil {
		return fmt.Errorf("README.md: Measured on: found %q, allowed: as 2026-11-22", value["Measured on"])
	}
	if c := value["Card"]; c != "real" && c != "emulated" && c != "none" {
		return fmt.Errorf("README.md: Card: found %q, allowed: real, emulated, none", c)
	}
	if r := value["Report"]; r != "none" {
		if _, err := os.Stat(filepath.Join(dir, r)); err != nil {
			return fmt.Errorf("README.md: Report: %w", err)
		}
	}
	return checkPoints(dir, value["Card"])
}

// checkPoints refuses a run that doesn't open, and one of emulated machines that is said to be of a
// card.
func checkPoints(dir, card string) error {
	run, err := runfolder.Open(dir)
	if err != nil {
		return err
	}
	points, bad, err := run.Points()
	if err != nil || len(bad) > 0 || len(points) == 0 {
		return fmt.Errorf("found %d points, bad lines %v, %w", len(points), bad, err)
	}
	for i := range points {
		if p := &points[i]; card == "real" && p.Emulated {
			return fmt.Errorf("point %s: found an emulated one, allowed with Card: real: none", p.ID)
		}
	}
	return nil
}

// TestRuns: every run from elsewhere has its provenance.
func TestRuns(t *testing.T) {
	entries := must.Get(os.ReadDir("runs"))(t)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := checkRun(filepath.Join("runs", e.Name())); err != nil {
			t.Errorf("runs/%s: %v", e.Name(), err)
		}
	}
}

// TestCheckRun: the format of runs/README.md is one that the check takes, and each missing part is
// refused.
func TestCheckRun(t *testing.T) {
	format := must.Get(os.ReadFile("runs/README.md"))(t)
	_, rest, _ := strings.Cut(string(format), "```\n")
	readme, _, _ := strings.Cut(rest, "```")
	readme = strings.NewReplacer("real, emulated, or none", "real", ".gz, or none", ".gz").Replace(readme)
	for name, c := range map[string]struct{ old, new, want string }{
		"right":        {"", "", ""},
		"no title":     {"# What", "What", "found no title"},
		"no license":   {"- License: CC BY 4.0\n", "", "found the lines"},
		"no date":      {"2026-11-22", "today", "found \"today\", allowed: as"},
		"no card":      {"Card: real", "Card: perhaps", "allowed: real, emulated"},
		"no report":    {"card-report.tar.gz", "lost.tar.gz", "no such file"},
		"not emulated": {"Card: real", "Card: emulated", ""},
	} {
		dir := runOf(t)
		for file, text := range map[string]string{
			"README.md": strings.Replace(readme, c.old, c.new, 1), "card-report.tar.gz": "",
		} {
			must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		}
		err := checkRun(dir)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
	}
}

// runOf makes a run folder with a point of real machines.
func runOf(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w := must.Get(runfolder.Create(dir, []byte("store: [mica]\n"), nil))(t)
	p := resultstest.Point(resultstest.WithID("one"))
	must.Do(t, errors.Join(w.Append(&p, nil), w.Close()))
	return dir
}
