package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/run"
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
		{nil, []string{"72 points in about"}},
		{[]string{"--only", "client_threads=2,get_ratio=1,get_ratio=0.5"}, []string{"12 points in about"}},
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

// TestGuestFlags: the guest measures the same sweep.
func TestGuestFlags(t *testing.T) {
	plan := run.Plan{Options: run.Options{Only: "repeat=1", Set: "duration=1s", Until: "5%", Quick: true}}
	want := []string{"--only", "repeat=1", "--set", "duration=1s", "--repeats-until", "5%", "--quick"}
	if got := guestFlags(&plan); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	plan = run.Plan{Options: run.Options{SLO: "p99=1ms"}}
	if got := guestFlags(&plan); !slices.Equal(got, []string{"--find-rate", "--slo", "p99=1ms"}) {
		t.Errorf("of a search: found %q", got)
	}
	if got := guestFlags(&run.Plan{}); got != nil {
		t.Errorf("without flags: found %q", got)
	}
}

func TestSweepRefusesMistakesAsUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	must.Do(t, os.WriteFile(file, []byte("keys: 10\nthreads: 4\n"), 0o644))
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

// command is the file of a binary that is dpukv: the test's own, by another name (TestMain).
func command(t *testing.T) (dpukv string) {
	t.Helper()
	dpukv = must.Get(exec.LookPath("dpukv"))(t)
	return dpukv
}
