package submode

import (
	"fmt"
	"strings"
	"testing"
)

func init() {
	cardCounters[blueFieldTestpmd] = []counters{
		{"right", testpmdSays(1000), testpmdSays(11000), ""},
		{"stopped", testpmdSays(1000), testpmdSays(1000), notTaken},
	}
}

// testpmdSays returns answers in which testpmd has forwarded packets each way.
func testpmdSays(packets int) [][2]string {
	var log strings.Builder
	for port := range 2 {
		fmt.Fprintf(&log, `
  ---------------------- Forward statistics for port %d  ----------------------
  RX-packets: %[2]d             RX-dropped: 0             RX-total: %[2]d
  TX-packets: %[2]d             TX-dropped: 0             TX-total: %[2]d
`, port, packets)
	}
	for port := range 2 {
		fmt.Fprintf(&log, `
  ######################## NIC statistics for port %d  ########################
  RX-packets: %[2]d         RX-missed: 0          RX-bytes:  1848
  RX-errors: 0
  RX-nombuf:  0
  TX-packets: %[2]d         TX-errors: 0          TX-bytes:  1162
`, port, packets)
	}
	return [][2]string{{"tail -c", log.String()}, {"wc -c", "7"}}
}

// TestLeastCPUs: testpmd on a card needs a CPU beside the one for its commands.
func TestLeastCPUs(t *testing.T) {
	_, err := New(Config{Submode: SM3, Target: BlueField, CPUs: []int{1}})
	const want = "found the CPUs [1] for testpmd, allowed: two or more, the first for its commands"
	if !failsWith(err, want) {
		t.Errorf("found %v, want %q", err, want)
	}
}
