//go:build guest

package guest

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// cardTests are the tests of the rehearsal for which Open vSwitch's kernel datapath matters, in two
// parts of about the same length. TestOnPath has that of SM4.
var cardTests = map[string]string{"submodes": `^TestSubmodes$/^sm1$`, "flows": `^TestFlows$`}

// TestCard rehearses a BlueField's submodes with Open vSwitch's own kernel datapath, which most
// kernels of containers and small virtual machines lack.
func TestCard(t *testing.T) {
	needOVS(t)
	kernel, dir := guestKernel(t), t.TempDir()
	goBuild(t, "build", "-o", filepath.Join(dir, "dpukv"), "dpukv/cmd/dpukv")
	goBuild(t, "test", "-c", "-tags", "card", "-o", filepath.Join(dir, "rehearsal.test"),
		"dpukv/placement/rehearsal")
	// The parts run in parallel: a guest has one CPU, and most machines have two.
	for part, tests := range cardTests {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			rehearse(t, kernel, dir, tests)
		})
	}
}

func rehearse(t *testing.T, kernel, dir, tests string) {
	job := Job{Kernel: kernel, Shares: map[string]string{"work": dir}, Script: awaitOVS + `
cd /dev/shm/work
SUBMODE_REQUIRE=ovs-system SUBMODE_BINARY=$PWD/dpukv ./rehearsal.test -test.v=test2json -test.timeout 1800s -test.run '` +
		tests + `'
`}
	var console bytes.Buffer
	if err := job.Run(t.Context(), &console); err != nil {
		t.Error(err)
	}
	report(t, strings.ReplaceAll(console.String(), "\r", ""))
}
