package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTimeIsTriedTwice uses a go command that always runs out of time.
func TestTimeIsTriedTwice(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "go")
	text := `#!/bin/sh
case "$*" in
list*) echo fz ;;
*-list*) echo FuzzFrames ;;
*) echo run >> ` + dir + `/runs; cat ` + dir + `/says; exit 1 ;;
esac
`
	if err := errors.Join(
		os.WriteFile(script, []byte(text), 0o700),
		os.WriteFile(filepath.Join(dir, "says"), []byte(saysDeadline), 0o600)); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r := runner{goCommand: script, each: time.Second, out: &out}
	if err := r.all(t.Context(), []string{"./..."}); err != nil {
		t.Errorf("got %v", err)
	}
	if runs, _ := os.ReadFile(filepath.Join(dir, "runs")); string(runs) != "run\nrun\n" {
		t.Errorf("ran %q", runs)
	}
	want := "fuzzall: fz FuzzFrames: ran out of time, 5512 inputs tried\n"
	if strings.Count(out.String(), want) != 2 {
		t.Errorf("said\n%s", out.String())
	}
}

// TestRealTargets uses Go's own engine: one target fails for its seed, one does not build, one is
// fine.
func TestRealTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and fuzzes for seconds")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module fz\n\ngo 1.26\n",
		"fine/fine_test.go": `package fine

import "testing"

func FuzzFine(f *testing.F) { f.Fuzz(func(*testing.T, []byte) {}) }
`,
		"finds/finds_test.go": `package finds

import "testing"

func FuzzFinds(f *testing.F) {
	f.Add("long")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 3 {
			t.Fatal(s)
		}
	})
}
`,
		"unbuilt/unbuilt_test.go": "package unbuilt\n\nfunc FuzzUnbuilt(f *testing.F) {}\n",
		"without/without_test.go": "package without\n\nimport \"testing\"\n\nfunc TestIt(*testing.T) {}\n",
	} {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	r := runner{goCommand: "go", dir: dir, each: 4 * time.Second, out: &out}
	err := r.all(t.Context(), []string{"./..."})
	if err == nil || !strings.Contains(err.Error(), "2 failed:\n  fz/finds FuzzFinds\n  fz/unbuilt: ") {
		t.Errorf("got %v\n%s", err, out.String())
	}
	for _, pkg := range []string{"./fine", "./without"} {
		if err := r.all(t.Context(), []string{pkg}); err != nil {
			t.Errorf("%s: %v\n%s", pkg, err, out.String())
		}
	}
}
