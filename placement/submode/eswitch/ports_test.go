package eswitch

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/transcript"
	"dpukv/placement/submode/step"
)

// The samples have names of counters from the kernel's driver mlx5 (en_stats.c, en_rep.c), from
// documentation.
const (
	uplinkStatistics = `NIC statistics:
     rx_packets: 12
     rx_bytes: 1200
     tx_packets: 13
     tx_bytes: 1300
     rx_vport_unicast_packets: 77
     tx_packets_phy: 2000
     rx_packets_phy: 1000
     tx_bytes_phy: 200000
     rx_bytes_phy: 100000
     rx_discards_phy: 0
`
	representorStatistics = `NIC statistics:
     rx_packets: 5
     rx_bytes: 500
     tx_packets: 6
     tx_bytes: 600
     vport_rx_packets: 3000
     vport_rx_bytes: 300000
     vport_tx_packets: 4000
     vport_tx_bytes: 400000
     rx_vport_rdma_unicast_packets: 31
     tx_vport_rdma_unicast_packets: 41
`
)

func says(out string, err error) step.Node {
	return step.Node{Name: "dpu", Run: func(context.Context, []string) (string, error) { return out, err }}
}

func TestReadPort(t *testing.T) {
	for out, want := range map[string]Port{
		uplinkStatistics: {
			Came: Count{1000, 100000}, Left: Count{2000, 200000}, ByCPU: 12,
			Source: "ethtool -S: rx_packets_phy, tx_packets_phy, rx_packets",
		},
		representorStatistics: {
			Came: Count{3000, 300000}, Left: Count{4000, 400000}, ByCPU: 5, RDMACame: 31, RDMALeft: 41,
			CountsRDMA: true,
			Source:     "ethtool -S: vport_rx_packets, vport_tx_packets, rx_packets",
		},
	} {
		p, err := ReadPort(t.Context(), says(out, nil), "p0")
		if err != nil || *p != want {
			t.Errorf("found %+v, %v, want %+v", p, err, want)
		}
	}
}

// TestNoSuchCounter: a port of another driver is refused, not read as 0.
func TestNoSuchCounter(t *testing.T) {
	without := strings.Replace(uplinkStatistics, "rx_packets_phy", "rx_packets_other", 1)
	for name, c := range map[string]struct {
		node step.Node
		want string
	}{
		"another driver": {says(without, nil), "found no counter rx_packets_phy"},
		"nothing":        {says("", nil), "ethtool -S p0: found no counter"},
		"no port":        {says("", errors.New("Cannot get stats strings")), "Cannot get stats strings"},
	} {
		_, err := ReadPort(t.Context(), c.node, "p0")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
	}
}

// TestPortTranscripts: whichever counters a kernel has of an uplink, those of its wire count.
func TestPortTranscripts(t *testing.T) {
	for _, file := range []string{"ethtool-S-p0.txt", "ethtool-S-p0-5.4.txt", "ethtool-S-both.txt"} {
		out := transcript.Read(t, "../testdata/transcripts/undated/"+file)
		p, err := ReadPort(t.Context(), says(out, nil), "p0")
		if err != nil || p.Came != (Count{1000, 100000}) || p.Left != (Count{2000, 200000}) {
			t.Errorf("%s: found %+v, %v", file, p, err)
		}
	}
}

// TestGrowth: the way of most packets is named.
func TestGrowth(t *testing.T) {
	was := Port{Came: Count{100, 1}, Left: Count{100, 1}, ByCPU: 100}
	for want, is := range map[string]Port{
		"":                           was,
		"11 packets came in":         {Came: Count{111, 9}, Left: Count{101, 1}, ByCPU: 100},
		"11 packets went out":        {Came: Count{100, 9}, Left: Count{111, 1}, ByCPU: 100},
		"11 packets reached the CPU": {Came: Count{100, 9}, Left: Count{100, 1}, ByCPU: 111},
	} {
		if _, got := is.Growth(&was); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

// FuzzPort: a node may print anything; reading it must not panic.
func FuzzPort(f *testing.F) {
	f.Add(uplinkStatistics)
	f.Add(representorStatistics)
	f.Fuzz(func(_ *testing.T, out string) {
		_, _ = parsePort("p0", parseStatistics(out))
		addInHardware(map[string]uint64{}, "p0", out)
	})
}
