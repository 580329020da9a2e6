package mica

import (
	"os/exec"
	"strings"
	"testing"

	"dpukv/internal/test/programs"
	"dpukv/kvs/partition"
)

// TestPythonClient checks that a client in another language, written from doc.go alone, understands
// the server. The server must refuse everything that doc.go excludes.
func TestPythonClient(t *testing.T) {
	python := programs.Need(t, "python3")
	for _, access := range []partition.Access{partition.EREW, partition.CREW} {
		t.Run(access.String(), func(t *testing.T) {
			cfg := testConfig()
			cfg.Workers, cfg.PartitionsPerWorker, cfg.Access = 2, 3, access
			cfg.LogBytes = 64 << 20 // nothing is lost
			server := startServer(t, cfg)
			out, err := exec.Command(python, "testdata/client.py", server.Addr(), "1").CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "ok: ") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
