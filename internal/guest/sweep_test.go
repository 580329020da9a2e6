//go:build guest

package guest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// The sweep has few keys. Client and server both poll, and on the guest's one CPU each may wait for
// the other's time slice of 10 ms.
const onPathSweep = `
store: [mica]
placement: [CH-SH]
submode: [direct, sm1, sm4, sm5]
get_ratio: [0.5]
keys: 2000
server_threads: [1]
client_threads: [1]
duration: 500ms
warmup: 100ms
repeats: 1
`

// TestOnPath measures two on-path datapaths that most kernels of containers and small virtual
// machines lack. One is Open vSwitch's own kernel datapath (SM1); the other is its rules in traffic
// control (SM4). The cable beside them is in the same guest.
func TestOnPath(t *testing.T) {
	needOVS(t)
	kernel, dir := guestKernel(t), t.TempDir()
	binary := filepath.Join(dir, "dpukv")
	goBuild(t, "build", "-o", binary, "dpukv/cmd/dpukv")
	// The two parts run in parallel: a guest has one CPU, and most machines have two.
	t.Run("sweep", func(t *testing.T) {
		t.Parallel()
		sweepOnPath(t, binary)
	})
	t.Run("evidence", func(t *testing.T) {
		t.Parallel()
		evidenceOnPath(t, kernel, dir)
	})
}

// needOVS skips a test of what forwards, where this machine, and so the guest, has none.
func needOVS(t *testing.T) {
	t.Helper()
	for _, program := range []string{"ovs-vswitchd", "ovs-vsctl", "dpdk-testpmd", "ip", "tc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("Open vSwitch, DPDK or iproute2 is not installed here, so the guest has none: make lab-packages:",
				err)
		}
	}
}

func goBuild(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}

// evidenceOnPath runs the tests of package submode for the datapaths that only the guest has.
func evidenceOnPath(t *testing.T, kernel, dir string) {
	goBuild(t, "test", "-c", "-o", filepath.Join(dir, "submode.test"), "dpukv/placement/submode")
	job := Job{Kernel: kernel, Shares: map[string]string{"work": dir}, Script: awaitOVS + `
cd /dev/shm/work
SUBMODE_REQUIRE="ovs-system ovs-flower" SUBMODE_BINARY=$PWD/dpukv ./submode.test -test.v=test2json -test.timeout 900s -test.run '` + guestTests + `'
`}
	var console bytes.Buffer
	if err := job.Run(t.Context(), &console); err != nil {
		t.Error(err)
	}
	report(t, strings.ReplaceAll(console.String(), "\r", ""))
}

const guestTests = `^(TestDatapaths|TestEvidenceFails)$/^sm[14]$/^ovs-(system|flower)$/`

func sweepOnPath(t *testing.T, binary string) {
	dir := t.TempDir()
	s := Sweep{
		Binary: binary, Dir: filepath.Join(dir, "run"),
		Files: map[string]string{
			"--file":    filepath.Join(dir, "sweep.yaml"),
			"--testbed": "../../examples/netns-onpath.yaml",
		},
	}
	must.Do(t, os.WriteFile(s.Files["--file"], []byte(onPathSweep), 0o600))
	var stdout, stderr bytes.Buffer
	if err := s.Run(t.Context(), &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(stderr.String(), 20))
	}
	if said := stderr.String(); strings.Contains(said, "\x1b") || !strings.Contains(said, "[4/4]") {
		t.Errorf("found progress for a terminal, or none: %q", said)
	}
	run := must.Get(runfolder.Open(s.Dir))(t)
	points, _, err := run.Points()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"direct": "cable", "sm1": "ovs-system", "sm4": "ovs-flower", "sm5": "ovs-flower",
	}
	for _, p := range points {
		t.Logf("%s: %.2f Mops, %s, %v", p.Submode, p.ThroughputOps/1e6, p.DatapathIs, p.Evidence)
		if p.Status != results.StatusOK || p.Datapath != want[p.Submode] {
			t.Errorf("%s: found %s %s over %q, want ok over %s", p.Submode, p.Status, p.Error, p.Datapath,
				want[p.Submode])
		}
		if !p.Emulated || !strings.Contains(p.EmulatedTestbed, "user-mode Linux guest (Linux 6.1.") {
			t.Errorf("%s: found no guest and its kernel in %q", p.Submode, p.EmulatedTestbed)
		}
		delete(want, p.Submode)
	}
	if len(want) > 0 {
		t.Errorf("there are no points of %v", want)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "figures", "mica-get50-p99.svg")); err != nil {
		t.Error(err)
	}
	continueOutside(t, &s)
}

// continueOutside: points of the guest and of this machine do not belong in one run.
func continueOutside(t *testing.T, s *Sweep) {
	out, err := exec.CommandContext(t.Context(), s.Binary, "sweep", "--out", s.Dir).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "continue it with --in-guest") {
		t.Errorf("outside of the guest: found %v, %s", err, out)
	}
}
