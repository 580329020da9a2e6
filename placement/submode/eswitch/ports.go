package eswitch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dpukv/placement/submode/step"
)

// SettleTime is the wait after a load until the counters of the eSwitch's rules include it. The
// driver samples them about once a second.
const SettleTime = 2 * time.Second

// Count is a count one way.
type Count struct{ Packets, Bytes uint64 }

// Port has the counters of a port up to one moment.
type Port struct {
	// Came and Left count all packets, also those that the eSwitch forwarded alone.
	Came, Left Count
	// ByCPU are packets that came in and reached the driver on the card's CPU.
	ByCPU uint64
	// RDMACame and RDMALeft are unicast RDMA packets of a representor. They are among Came and
	// Left. CountsRDMA is false where the driver does not count them.
	RDMACame, RDMALeft uint64
	CountsRDMA         bool
	// Source names the counters of Came, Left and ByCPU.
	Source string
}

// ReadPort reads the counters of a port.
func ReadPort(ctx context.Context, n step.Node, name string) (*Port, error) {
	out, err := n.Run(ctx, []string{"ethtool", "-S", name})
	if err != nil {
		return nil, err
	}
	return parsePort(name, parseStatistics(out))
}

// parseStatistics returns a port's counters by their names.
func parseStatistics(out string) map[string]uint64 {
	s := map[string]uint64{}
	for line := range strings.Lines(out) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if v, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); ok && err == nil {
			s[name] = v
		}
	}
	return s
}

// parsePort chooses between the counters of a representor and those of the uplink. An uplink may
// have both; one of an older kernel has those of its port under a representor's names.
func parsePort(name string, s map[string]uint64) (*Port, error) {
	all := func(way, what string) string { return way + "_" + what + "_phy" }
	_, phy := s["rx_packets_phy"]
	if _, vport := s["vport_rx_packets"]; vport && !phy {
		all = func(way, what string) string { return "vport_" + way + "_" + what }
	}
	p := &Port{RDMALeft: s["tx_vport_rdma_unicast_packets"]}
	p.RDMACame, p.CountsRDMA = s["rx_vport_rdma_unicast_packets"]
	for _, c := range []struct {
		value *uint64
		name  string
	}{
		{&p.Came.Packets, all("rx", "packets")},
		{&p.Came.Bytes, all("rx", "bytes")},
		{&p.Left.Packets, all("tx", "packets")},
		{&p.Left.Bytes, all("tx", "bytes")},
		{&p.ByCPU, "rx_packets"},
	} {
		v, ok := s[c.name]
		if !ok {
			return nil, fmt.Errorf("ethtool -S %s: found no counter %s, allowed: a BlueField's "+
				"uplink or representor (driver mlx5); see: ethtool -i %[1]s", name, c.name)
		}
		*c.value = v
	}
	p.Source = fmt.Sprintf("ethtool -S: %s, %s, rx_packets",
		all("rx", "packets"), all("tx", "packets"))
	return p, nil
}

// Growth returns the most packets that a port moved in one way since another read, and that way.
func (p *Port) Growth(was *Port) (most uint64, way string) {
	for _, c := range []struct {
		way     string
		was, is uint64
	}{
		{"came in", was.Came.Packets, p.Came.Packets},
		{"went out", was.Left.Packets, p.Left.Packets},
		{"reached the CPU", was.ByCPU, p.ByCPU},
	} {
		if n := c.is - min(c.was, c.is); n > most {
			most, way = n, fmt.Sprintf("%d packets %s", n, c.way)
		}
	}
	return most, way
}
