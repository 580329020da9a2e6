package submode

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"dpukv/internal/test/must"
)

// Parts of a proof's error, on a card.
const (
	partially = "in partially offloaded flows"
	ruleless  = "of rules that traffic control has in hardware"
	flowless  = "in the flows that it took, where GRO may have joined packets"
)

func init() {
	loads := func(d *datapath, list []cardLoad) {
		for i := range list {
			l := &list[i]
			cardCounters[d] = append(cardCounters[d], counters{
				l.name, before.says(), before.plus(&l.load).says(), l.want,
			})
		}
	}
	const n = 10000
	loads(blueFieldKernel, []cardLoad{
		{"right", traffic{came: n, cpu: n, software: n}, ""},
		{"right, with GRO", traffic{came: n, cpu: n, software: n, gro: 2}, ""},
		{"right, with GRO of small packets", traffic{came: n, cpu: n, software: n, gro: 40, size: 70}, ""},
		{"right, with RDMA of another's", traffic{came: n, cpu: n, software: n, rdma: 5}, ""},
		{"not by Open vSwitch", traffic{came: n, cpu: n}, flowless},
		{"half of it", traffic{came: n, cpu: n, software: n / 2}, flowless},
		{"the eSwitch, too", traffic{came: n, cpu: n, software: n, hardware: n}, elsewhere},
		{"the eSwitch", traffic{came: n, hardware: n}, notTaken},
		{"hardware unknown to Open vSwitch", traffic{came: n, cpu: 10, software: 10}, notTaken},
	})
	loads(blueFieldDPDK, []cardLoad{
		{"right", traffic{came: n, threads: 2 * n}, ""},
		{"its main thread", traffic{came: n, threads: 2 * n, main: n}, elsewhere},
		{"the kernel", traffic{came: n, cpu: n}, notTaken},
		{"the kernel, too", traffic{came: n, cpu: n, threads: 2 * n}, elsewhere},
		{"the eSwitch, too", traffic{came: n, threads: 2 * n, hardware: n}, elsewhere},
		{"partly the eSwitch", traffic{came: n, threads: 2 * n, partial: n}, partially},
	})
	loads(blueFieldKernelOffload, []cardLoad{
		{"right", traffic{came: n, hardware: n, rules: n}, ""},
		{"first packets by the CPU", traffic{came: n, hardware: n - 20, rules: n - 20, cpu: 20, software: 20}, ""},
		{"the CPU, with GRO", traffic{came: n, cpu: n, software: n, gro: 40}, notTaken},
		{"the CPU, with GRO, beside", traffic{came: n, cpu: n, software: n, gro: 40}, elsewhere},
		{"the CPU, too", traffic{came: n, hardware: n, rules: n, cpu: n / 4}, elsewhere},
		{"rules not in hardware", traffic{came: n, hardware: n, soft: n}, ruleless},
	})
	loads(blueFieldDPDKOffload, []cardLoad{
		{"right", traffic{came: n, hardware: n}, ""},
		{"few partly", traffic{came: n, hardware: n - 100, partial: 100, threads: 200}, ""},
		{"half partly", traffic{came: n, hardware: n / 2, partial: n / 2, threads: n}, partially},
		{"partly", traffic{came: n, partial: n, threads: 2 * n}, notTaken},
		{"threads", traffic{came: n, threads: 2 * n, software: n}, elsewhere},
		{"the kernel, too", traffic{came: n, hardware: n, cpu: n}, elsewhere},
	})
}

// cardLoad is a load on a card, with a part of the error of its proof.
type cardLoad struct {
	name string
	load traffic
	want string
}

// traffic is what a card has counted up to a moment, or since one. Counts are packets each way,
// except those of threads.
type traffic struct {
	came uint64 // at each port, on the wire
	cpu  uint64 // of these, at the driver on the card's CPU
	// Packets of Open vSwitch's flows, before GRO.
	hardware, partial, software uint64
	threads, main               uint64 // received by a netdev datapath
	rules, soft                 uint64 // of traffic control's rules in hardware, and not there
	rdma                        uint64
	dropped                     uint64 // by a filter's rule, from p0
	gro                         uint64 // packets that GRO makes one; 0: off
	size                        uint64 // bytes of a packet; 0: 842
}

// before is the traffic before a load. GRO is off: no flow of the load is there yet.
var before = traffic{came: 1000}

func (c traffic) plus(load *traffic) traffic {
	sum := *load
	sum.came += c.came
	sum.cpu += c.cpu
	return sum
}

// bytes returns the bytes of packets of the wire.
func (c *traffic) bytes(packets uint64) uint64 {
	if c.size == 0 {
		return 842 * packets
	}
	return c.size * packets
}

// says returns the answers of a card's programs. Its Open vSwitch has two datapaths, as NVIDIA's
// images have, and beside our bridge another one: ovsbr2.
func (c traffic) says() [][2]string {
	n := strconv.FormatUint(c.came, 10)
	stats := `"mtu":1500,"stats64":{"rx":{"packets":` + n + `},"tx":{"packets":` + n + `}}`
	return [][2]string{
		{"ip -j", `[{"ifname":"p0",` + stats + `},{"ifname":"pf0hpf",` + stats + `}]`},
		{"ethtool -S p0", c.statistics("rx_%s_phy", "tx_%s_phy")},
		{"ethtool -S pf0hpf", c.statistics("vport_rx_%s", "vport_tx_%s")},
		{"list Open_vSwitch", runsDPDK},
		{"dump-flows -m type=", "FAIL ovs-vswitchd: multiple datapaths, specify one"},
		{"dump-flows dpukv0", fmt.Sprintf(" cookie=0xd9d7, n_packets=%d, actions=drop\n", c.dropped)},
		{"dump-flows", c.flows()},
		{"pmd-stats-show", fmt.Sprintf("pmd thread numa_id 0 core_id 1:\n  packets received: %d\n"+
			"main thread:\n  packets received: %d\n", c.threads, c.main)},
		{"tc -s filter", c.shownRules()},
	}
}

func (c *traffic) statistics(rx, tx string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "NIC statistics:\n     rx_packets: %d\n     tx_packets: %[1]d\n", c.cpu)
	left := c.came
	if strings.HasPrefix(rx, "vport") {
		left -= c.dropped
	}
	for way, packets := range map[string]uint64{rx: c.came, tx: left} {
		fmt.Fprintf(&b, "     "+way+": %d\n", "packets", packets)
		fmt.Fprintf(&b, "     "+way+": %d\n", "bytes", c.bytes(packets))
	}
	if c.rdma > 0 && strings.HasPrefix(rx, "vport") {
		fmt.Fprintf(&b, "     rx_vport_rdma_unicast_packets: %d\n", c.rdma)
		fmt.Fprintf(&b, "     tx_vport_rdma_unicast_packets: %d\n", 2*c.rdma)
	}
	return b.String()
}

// flows prints a flow each way, and one of another bridge, for each place that forwards.
func (c *traffic) flows() string {
	var b strings.Builder
	for place, packets := range map[string]uint64{
		"offloaded:yes, dp:tc": c.hardware, "offloaded:partial, dp:ovs": c.partial, "dp:ovs": c.software,
	} {
		bytes := c.bytes(packets)
		if c.gro > 1 && place == "dp:ovs" {
			joined := packets / c.gro
			bytes -= 66 * (packets - joined)
			packets = joined
		}
		for way, port := range []string{"p0", "pf0hpf", "p1"} {
			if port == "p1" {
				packets, bytes = 7777*c.came, 7777*c.bytes(c.came)
			}
			fmt.Fprintf(&b, "ufid:6f1c2d3e-0001-0002-%04x-00000000000%d, in_port(%s), packets:%d, "+
				"bytes:%d, used:0.1s, %s, actions:9\n", len(place), way, port, packets, bytes, place)
		}
	}
	return b.String()
}

func (c *traffic) shownRules() string {
	rule := func(handle int, state string, packets uint64) string {
		return fmt.Sprintf("filter protocol ip pref 2 flower chain 0 handle 0x%d\n  eth_type ipv4\n"+
			"  %s\n\taction order 1: mirred (Egress Redirect to device pf0hpf) stolen\n"+
			"\tSent 1 bytes %d pkt (dropped 0, overlimits 0 requeues 0)\n", handle, state, packets)
	}
	return "filter protocol ip pref 2 flower chain 0\n" +
		rule(1, "in_hw in_hw_count 1", c.rules) + rule(2, "not_in_hw", c.soft)
}

// TestPartiallyOffloaded: packets of partially offloaded flows have a name and a share in the
// proof, and some of them cause a warning.
func TestPartiallyOffloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for partial, warnings := range map[uint64]int{0: 0, 10: 0, 400: 1} {
			load := traffic{came: 10000, hardware: 10000 - partial, partial: partial}
			p, err := Prove(cardEvidence(t, blueFieldDPDKOffload, before, nil),
				cardEvidence(t, blueFieldDPDKOffload, before.plus(&load), nil))
			if err != nil || p.Packets["partial/flows"] != 2*partial ||
				p.PartialShare != float64(partial)/10000 || len(p.Warnings) != warnings {
				t.Errorf("%d: found %+v, %v", partial, p, err)
			}
		}
	})
}

// TestCardProofNames: the proof names the ports' counters, and has what only a card counts.
func TestCardProofNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, load := before, traffic{came: 10000, hardware: 10000, rules: 10000, rdma: 9000}
		old.rdma = 1000
		p, err := Prove(cardEvidence(t, blueFieldKernelOffload, old, nil),
			cardEvidence(t, blueFieldKernelOffload, old.plus(&load), nil))
		if err != nil || p.Counters["p0"] != "ethtool -S: rx_packets_phy, tx_packets_phy, rx_packets" ||
			p.Counters["pf0hpf"] != "ethtool -S: vport_rx_packets, vport_tx_packets, rx_packets" {
			t.Errorf("found %v, %v", p.Counters, err)
		}
		for name, want := range map[string]uint64{
			"came/p0": 10000, "left/pf0hpf": 10000, "carried/flows": 20000, "in hardware/rules": 20000,
			"elsewhere/kernel at p0": 0, "rdma/came/pf0hpf": 8000, "rdma/left/pf0hpf": 16000,
		} {
			if got, ok := p.Packets[name]; !ok || got != want {
				t.Errorf("%s: found %d, %v, want %d", name, got, ok, want)
			}
		}
	})
}

// TestCardDrops: packets that a filter drops came in and did not leave, in every datapath of Open
// vSwitch. Where flows prove, the proof fails without these packets.
func TestCardDrops(t *testing.T) {
	const n, kept = 10000, 7500 // of two ports, 5000 packets of one are dropped
	for d, load := range map[*datapath]traffic{
		blueFieldKernel:        {came: n, cpu: n, software: kept, dropped: 5000},
		blueFieldDPDK:          {came: n, threads: 2 * n, dropped: 5000},
		blueFieldKernelOffload: {came: n, hardware: kept, rules: n, dropped: 5000},
		blueFieldDPDKOffload:   {came: n, hardware: kept, dropped: 5000},
	} {
		c := Config{Submode: d.submodes[0], Target: BlueField, Datapath: d.name}
		c.Filter.DropClients = []netip.Addr{netip.MustParseAddr("192.0.2.1")}
		at := func(all traffic) *Evidence {
			e := newEvidence(mustNew(t, c).setup(d, "/x"))
			fake := fakeCard{answers: all.says()}
			must.Do(t, e.readPorts(t.Context(), fake.node()))
			must.Do(t, d.Count(t.Context(), e.setup, fake.node(), &e.Counts))
			return e
		}
		p, err := Prove(at(before), at(before.plus(&load)))
		if err != nil || p.Packets["dropped"] != 5000 {
			t.Errorf("%s: found %v, %v", d.name, p.Packets, err)
		}
		load.dropped = 0
		if _, err := Prove(at(before), at(before.plus(&load))); (err == nil) != (d == blueFieldDPDK) {
			t.Errorf("%s, none dropped: found %v", d.name, err)
		}
	}
}
