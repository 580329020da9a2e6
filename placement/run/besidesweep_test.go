package run

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/daemon"
	"dpukv/internal/test/programs"
	"dpukv/results"
)

// TestSweepOfTwoBinaries measures two builds between this machine and one behind a real sshd, which
// gets both. The comparison and the check of the folder know both.
func TestSweepOfTwoBinaries(t *testing.T) {
	program := programs.DPUKV(t)
	n := daemon.NewNet(t)
	s := daemon.StartSSH(t, daemon.SSHOptions{Net: n})
	cmd, runDir, _ := sweepCommand(t,
		"store: mica\nget_ratio: 1\nkeys: 1000\nclient_threads: 1\nduration: 100ms\nwarmup: 0s\nrepeats: 2\n",
		sshBed(n, s), "--beside", programs.Another(t, "v0.0.1"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	of := map[bool]int{}
	for _, p := range readPoints(t, runDir) {
		other := strings.HasPrefix(p.Build, "v0.0.1@")
		of[other]++
		if err := results.Validate(&p); err != nil || p.Status != results.StatusOK || len(p.Builds) != 1 ||
			other != (p.ServerVersion == "v0.0.1") || other != (p.ClientVersion == "v0.0.1") {
			t.Errorf("%s: %s %s, %v, build %s %v, server %s, client %s", p.ID, p.Status, p.Error, err, p.Build,
				p.Builds, p.ServerVersion, p.ClientVersion)
		}
	}
	if of[true] != 2 || of[false] != 2 {
		t.Errorf("found %v points, want two of each build", of)
	}
	if copies, _ := filepath.Glob(filepath.Join(s.Cache, "dpukv/bin/*/dpukv")); len(copies) != 2 {
		t.Errorf("copies of the binaries: %v, want two", copies)
	}
	out, err := exec.Command(program, "run", "verify", runDir).CombinedOutput()
	if err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
	compared := exec.Command(program, "compare", runDir, "--metrics", "throughput")
	out, _ = compared.CombinedOutput()
	if compared.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), "A: build v0.0.1@") ||
		!strings.Contains(string(out), "too few rounds (n=2, needed: 6)") {
		t.Errorf("compare: %v\n%s", compared.ProcessState, out)
	}
}
