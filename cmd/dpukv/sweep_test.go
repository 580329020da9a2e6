package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func runSweepCommand(args ...string) (stdout string, err error) {
	var out bytes.Buffer
	cmd := newSweepCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err = cmd.ExecuteContext(cmd.Context())
	return out.String(), err
}

func TestSweepDryRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"--quick"}, []string{"[9/9] mica-CH-SH-off-path-get", " node\n", "9 points in about"}},
		{nil, []string{"36 points in about"}},
		{[]string{"--only", "client_threads=2,get_ratios=1,get_ratios=0.5"}, []string{"6 points in about"}},
		{[]string{"-f", "../../examples/mica.yaml", "--only", "repeat=1"}, []string{"12 points in about"}},
	} {
		out, err := runSweepCommand(append(test.args, "--dry-run", "--out", dir)...)
		if err != nil {
			t.Errorf("%q: %v", test.args, err)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q: got\n%s, want it to hold %q", test.args, out, want)
			}
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run made the run folder")
	}
}

func TestSweepRefusesMistakesAsUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("keys: 10\nthreads: 4\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-f", file}, file + `:2:1: found the unknown key "threads"`},
		{[]string{"-f", file + ".not"}, "no such file"},
		{[]string{"--quick", "-f", file}, "--quick is a sweep of its own"},
		{[]string{"--only", "x=1"}, `--only: found the unknown key "x"`},
		{[]string{"more"}, "a sweep file is given with -f"},
	} {
		_, err := runSweepCommand(test.args...)
		if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, new(usageError)) {
			t.Errorf("%q: got %v, want a usage error that holds %q", test.args, err, test.want)
		}
	}
}
