//go:build arm64emu

package packaging

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// under runs a command that starts programs for arm64.
func under(t *testing.T, argv ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "./arm64.sh", argv...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

// binaries builds dpukv for both architectures.
func binaries(t *testing.T) (amd64, arm64 string) {
	t.Helper()
	dir := t.TempDir()
	amd64, arm64 = filepath.Join(dir, "dpukv"), filepath.Join(dir, "dpukv-linux-arm64")
	for _, b := range []struct{ arch, path string }{{"amd64", amd64}, {"arm64", arm64}} {
		cmd := exec.Command("go", "build", "-o", b.path, "../cmd/dpukv")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+b.arch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build for %s: %v\n%s", b.arch, err, out)
		}
	}
	return amd64, arm64
}

// TestQuickSweepOnArm runs the one command that a new user types.
func TestQuickSweepOnArm(t *testing.T) {
	_, arm64 := binaries(t)
	dir := filepath.Join(t.TempDir(), "run")
	under(t, arm64, "sweep", "--quick", "--out", dir)
	checkPoints(t, dir, 9)
}

// TestAcrossArchitectures: each architecture reads what the other writes, in frames of MICA and in
// slots of HERD, over memory and over packets.
func TestAcrossArchitectures(t *testing.T) {
	amd64, arm64 := binaries(t)
	for _, server := range []string{"arm64", "amd64"} {
		for _, devices := range []string{"shm", "softroce"} {
			t.Run(fmt.Sprintf("server=%s,%s", server, devices), func(t *testing.T) {
				across(t, amd64, arm64, server, devices)
			})
		}
	}
}

func across(t *testing.T, amd64, arm64, server, devices string) {
	binary := map[string]string{"amd64": amd64, "arm64": arm64}
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}
	rdma := func(n int) string {
		if devices == "shm" {
			return "{device: shm}"
		}
		return fmt.Sprintf(`{device: "softroce:127.0.0.%d"}`, n)
	}
	stores, points := "[mica, herd]", 4
	if devices != "shm" { // MICA has no devices, and the other run measured it
		stores, points = "herd", 2
	}
	dir := t.TempDir()
	testbed := fmt.Sprintf("nodes:\n"+
		"  hostA: {kind: host, via: local, binary: %q, rdma: %s}\n"+
		"  hostB: {kind: host, via: local, binary: %q, rdma: %s}\n"+
		"client_side: [hostA]\nserver_side: [hostB]\n", binary[other[server]], rdma(2), binary[server], rdma(3))
	write(t, filepath.Join(dir, "testbed.yaml"), testbed)
	write(t, filepath.Join(dir, "sweep.yaml"), "store: "+stores+"\nget_ratio: [1, 0.5]\nclient_threads: 1\n"+
		"mode: store\nkeys: 20000\nduration: 2s\nwarmup: 500ms\nrepeats: 1\n")
	run := filepath.Join(dir, "run")
	under(t, amd64, "sweep", "-f", filepath.Join(dir, "sweep.yaml"), "--testbed", filepath.Join(dir, "testbed.yaml"),
		"--out", run)
	checkPoints(t, run, points)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
}

// checkPoints checks that all points were measured without a wrong answer, and that each names the
// emulator's part in it.
func checkPoints(t *testing.T, dir string, want int) {
	t.Helper()
	run := must.Get(runfolder.Open(dir))(t)
	points, bad, err := run.Points()
	if err != nil || len(bad) > 0 || len(points) != want {
		t.Fatalf("%d points, want %d; bad lines %v, %v", len(points), want, bad, err)
	}
	for i := range points {
		p := &points[i]
		if p.Status != results.StatusOK || p.Errors > 0 || p.Ops == 0 || !p.Emulated {
			t.Errorf("%s: %s %s, %d operations, %d errors, emulated %v", p.ID, p.Status, p.Error, p.Ops, p.Errors,
				p.Emulated)
		}
		if !strings.Contains(p.Warnings.String(), "runs under an emulator (arm64 on ") {
			t.Errorf("%s: no word of the emulator: %q", p.ID, p.Warnings)
		}
	}
}
