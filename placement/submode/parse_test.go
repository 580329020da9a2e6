package submode

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"dpukv/placement/submode/packetfilter"
)

// The samples are what the programs of Debian 12 (Open vSwitch 3.1, iproute2 6.1, DPDK 22.11, nftables 1.0) printed.

const pmdStats = `pmd thread numa_id 0 core_id 1:
  packets received: 9895
  packet recirculations: 0
  avg. datapath passes per packet: 1.00
  phwol hits: 0
  emc hits: 9888
  megaflow hits: 1
  miss with success upcall: 6
  avg cycles per packet: 31415.92 (310856528/9895)
main thread:
  packets received: 7
  packet recirculations: 0
`

func TestPMDStats(t *testing.T) {
	threads, main, err := parsePMDStats(pmdStats)
	if err != nil || threads != 9895 || main != 7 {
		t.Errorf("got %d, %d, %v", threads, main, err)
	}
	for _, bad := range []string{"", "main thread:\n", "main thread:\n  packets received: many\n", "packets received: 4\n"} {
		if _, _, err := parsePMDStats(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

const dpctlShow = `system@ovs-system:
  lookups: hit:10 missed:6 lost:0
  flows: 6
  masks: hit:24 total:4 hit/pkt:1.50
  port 0: ovs-system (internal)
`

func TestLookups(t *testing.T) {
	if n, err := parseLookups(dpctlShow); n != 16 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	for _, bad := range []string{"", "lookups: hit:99999999999999999999 missed:1 lost:0"} {
		if _, err := parseLookups(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

const flowsDumped = `ufid:6f1c2d3e-0001-0002-0003-000000000001, skb_priority(0/0),recirc_id(0),in_port(p0),packet_type(ns=0,id=0),eth(src=aa:bb:cc:00:00:01,dst=aa:bb:cc:00:00:02),eth_type(0x0800),ipv4(src=0.0.0.0/0.0.0.0,frag=no), packets:6604, bytes:712345, used:0.010s, offloaded:yes, dp:tc, actions:pf0hpf
ufid:6f1c2d3e-0001-0002-0003-000000000002, recirc_id(0),in_port(pf0hpf),eth_type(0x0806), packets:3, bytes:126, used:1.010s, dp:ovs, actions:p0
ufid:6f1c2d3e-0001-0002-0003-000000000003, recirc_id(0),in_port(p0),eth_type(0x86dd), packets:9, bytes:126, used:1.010s, dp:tc, actions:drop
`

func TestFlows(t *testing.T) {
	if got := parseFlows(flowsDumped, "tc"); !maps.Equal(got, map[string]uint64{"6f1c2d3e-0001-0002-0003-000000000001": 6604}) {
		t.Errorf("got %v", got)
	}
	if got := parseFlows(flowsDumped, ""); len(got) != 2 {
		t.Errorf("got %v", got)
	}
	if got := parseFlows("", "tc"); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

const mirredShown = `filter protocol all pref 49152 u32 chain 0 
filter protocol all pref 49152 u32 chain 0 fh 800: ht divisor 1 
filter protocol all pref 49152 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 terminal flowid not_in_hw 
  match 00000000/00000000 at 0
	action order 1: mirred (Egress Redirect to device pf0hpf) stolen
 	index 1 ref 1 bind 1 installed 4 sec used 0 sec firstused 3 sec
 	Action statistics:
	Sent 1718054 bytes 12711 pkt (dropped 0, overlimits 0 requeues 0) 
	backlog 0b 0p requeues 0

`

func TestMirred(t *testing.T) {
	for _, c := range []struct {
		out, to string
		want    uint64
	}{{mirredShown, "pf0hpf", 12711}, {mirredShown, "elsewhere", 0}, {"", "pf0hpf", 0}} {
		if got, err := parseMirred(c.out, c.to); got != c.want || err != nil {
			t.Errorf("to %s: got %d, %v, want %d", c.to, got, err, c.want)
		}
	}
}

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

// TestTestpmd: 20 packets came in at port 0, of which 13 left by port 1 and one failed there.
func TestTestpmd(t *testing.T) {
	ports, err := parseTestpmd(testpmdShown)
	if err != nil || !slices.Equal(ports, []testpmdPort{{20, 13, 0, 2}, {15, 13, 1, 0}}) {
		t.Fatal(ports, err)
	}
	s := newSite(&mustNew(t, Config{Submode: SM3, Target: Linux, Filter: packetfilter.Filter{DropPartitions: []int{0}}}).cfg, nil, "")
	if carried, dropped := s.countPorts(ports); dropped != 6 || !maps.Equal(carried, map[string]uint64{"p0": 14, "pf0hpf": 15}) {
		t.Errorf("%v, %d dropped", carried, dropped)
	}
	if half, err := parseTestpmd(testpmdShown[:900]); len(half) == 2 || err != nil {
		t.Errorf("an answer that is not there yet: %v, %v", half, err)
	}
}

// TestTestpmdBetweenCounters: a packet that came in at one port and has not left by the other when they are read was not dropped.
func TestTestpmdBetweenCounters(t *testing.T) {
	s := newSite(&mustNew(t, Config{Submode: SM3, Target: Linux, Filter: packetfilter.Filter{DropPartitions: []int{0}}}).cfg, nil, "")
	for _, c := range []struct {
		left []string // by port 1, of the 20 that came in at port 0, at each look
		want uint64
	}{
		{[]string{"20"}, 0},
		{[]string{"17", "20"}, 0},
		{[]string{"14", "15", "15"}, 5},
		{[]string{"15", "14", "13"}, 5}, // more are dropped between the looks
	} {
		asked := 0
		node := Node{"d", func(_ context.Context, argv []string) (string, error) {
			if !strings.Contains(strings.Join(argv, " "), "tail -c") {
				asked++
				return "7\n", nil
			}
			shown := strings.NewReplacer("TX-dropped: 2", "TX-dropped: 0", "TX-errors: 1", "TX-errors: 0", "RX-packets: 15", "RX-packets: 13").Replace(testpmdShown)
			at := strings.LastIndex(shown, "TX-packets: 13")
			return shown[:at] + strings.Replace(shown[at:], "13", c.left[asked-1], 1), nil
		}}
		e := &Evidence{}
		if err := countTestpmd(t.Context(), s, node, e); err != nil || e.Dropped != c.want || asked != len(c.left) || e.Carried["p0"] != 20-c.want {
			t.Errorf("left %v: %d looks, %v, %+v; want %d dropped", c.left, asked, err, e, c.want)
		}
	}
}

func TestStat(t *testing.T) {
	const stat = "4242 (ovs (x) y) S 1 4242 4242 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 3 0 7777 0 0"
	if key, used, err := parseStat(stat); key != "4242@7777" || used.Seconds() != 2 || err != nil {
		t.Errorf("got %s, %v, %v", key, used, err)
	}
	for _, bad := range []string{"", "1 (x)", strings.Replace(stat, ") S", ") Z", 1), strings.Replace(stat, "150", "many", 1)} {
		if _, _, err := parseStat(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// FuzzParse: what programs print may be anything; reading it must not panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{pmdStats, dpctlShow, flowsDumped, mirredShown, testpmdShown, mlxOnPath, `[{"ifname":"p0","flags":["UP"],"mtu":1500}]`, `{"p0":{"programs":1}}`} {
		f.Add(s)
	}
	s := &site{cfg: (&Config{}).withDefaults()}
	f.Fuzz(func(_ *testing.T, out string) {
		_, _, _ = parsePMDStats(out)
		_, _ = parseLookups(out)
		parseFlows(out, "tc")
		_, _ = parseMirred(out, "p0")
		_, _, _ = parseStat(out)
		_, _ = parseTestpmd(out)
		_, _ = parseTCX(out)
		_ = s.free(out)
		_ = s.cardPorts(out)
		_ = onPathMode(out)
		_, _ = packetfilter.Parse(strings.Fields(out))
	})
}
