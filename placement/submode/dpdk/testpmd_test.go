package dpdk

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// testpmdShown is output of DPDK 22.11.
const testpmdShown = `show fwd stats all

  ---------------------- Forward statistics for port 0  ----------------------
  RX-packets: 20             RX-dropped: 0             RX-total: 20
  TX-packets: 13             TX-dropped: 2             TX-total: 15
  ----------------------------------------------------------------------------

  ---------------------- Forward statistics for port 1  ----------------------
  RX-packets: 13             RX-dropped: 0             RX-total: 13
  TX-packets: 13             TX-dropped: 0             TX-total: 13
  ----------------------------------------------------------------------------
testpmd> show port stats all

  ######################## NIC statistics for port 0  ########################
  RX-packets: 20         RX-missed: 0          RX-bytes:  1848
  RX-errors: 0
  RX-nombuf:  0         
  TX-packets: 13         TX-errors: 0          TX-bytes:  1162

  Throughput (since last show)

  ######################## NIC statistics for port 1  ########################
  RX-packets: 15         RX-missed: 0          RX-bytes:  1162
  RX-errors: 0
  RX-nombuf:  0         
  TX-packets: 13         TX-errors: 1          TX-bytes:  1162
`

// filtering is testpmd with a filter.
func filtering() *Testpmd {
	return &Testpmd{
		Ports: []string{"p0", "pf0hpf"}, Filter: &packetfilter.Filter{DropPartitions: []int{0}},
	}
}

// TestBalance: 20 packets came in at port 0. 13 of them left by port 1, and one failed there.
func TestBalance(t *testing.T) {
	ports, err := parseStatistics(testpmdShown)
	if err != nil || !slices.Equal(ports, []portStats{{20, 13, 0, 2}, {15, 13, 1, 0}}) {
		t.Fatal(ports, err)
	}
	want := map[string]uint64{"p0": 14, "pf0hpf": 15}
	if carried, dropped := filtering().balance(ports); dropped != 6 || !maps.Equal(carried, want) {
		t.Errorf("%v, %d dropped", carried, dropped)
	}
	if half, err := parseStatistics(testpmdShown[:900]); len(half) == 2 || err != nil {
		t.Errorf("an answer that is not there yet: %v, %v", half, err)
	}
}

// TestCountBetweenCounters: at the time of reading, a packet has come in at one port and not left
// by the other. It is not dropped.
func TestCountBetweenCounters(t *testing.T) {
	for _, c := range []struct {
		left []string // by port 1, of the 20 that came in at port 0, at each read
		want uint64
	}{
		{[]string{"20"}, 0},
		{[]string{"17", "20"}, 0},
		{[]string{"14", "15", "15"}, 5},
		{[]string{"15", "14", "13"}, 5}, // more are dropped between the reads
	} {
		asked := 0
		node := step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
			if !strings.Contains(strings.Join(argv, " "), "tail -c") {
				asked++
				return "7\n", nil
			}
			shown := strings.NewReplacer("TX-dropped: 2", "TX-dropped: 0", "TX-errors: 1", "TX-errors: 0",
				"RX-packets: 15", "RX-packets: 13").Replace(testpmdShown)
			at := strings.LastIndex(shown, "TX-packets: 13")
			return shown[:at] + strings.Replace(shown[at:], "13", c.left[asked-1], 1), nil
		}}
		carried, dropped, err := filtering().Count(t.Context(), node)
		if err != nil || dropped != c.want || asked != len(c.left) || carried["p0"] != 20-c.want {
			t.Errorf("left %v: %d reads, %v, %v, %d; want %d dropped",
				c.left, asked, err, carried, dropped, c.want)
		}
	}
}

// FuzzStatistics: a node may print anything; reading it must not panic.
func FuzzStatistics(f *testing.F) {
	f.Add(testpmdShown)
	f.Fuzz(func(_ *testing.T, out string) { _, _ = parseStatistics(out) })
}
