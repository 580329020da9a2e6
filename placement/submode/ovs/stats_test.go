package ovs

import (
	"context"
	"errors"
	"maps"
	"testing"

	"dpukv/internal/test/transcript"
	"dpukv/placement/submode/step"
)

// The samples are output of Open vSwitch 3.1.

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
		t.Errorf("found %d, %d, %v", threads, main, err)
	}
	for _, bad := range []string{
		"", "main thread:\n", "main thread:\n  packets received: many\n", "packets received: 4\n",
	} {
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
	for shown, want := range map[string]uint64{
		dpctlShow: 16,
		transcript.Read(t, transcripts+"dpctl-show-doca.txt"): 360541 + 8061, // of a switch with OVS-DOCA
	} {
		if n, err := parseLookups(shown); n != want || err != nil {
			t.Errorf("found %d, %v, want %d", n, err, want)
		}
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

func TestRuleFlows(t *testing.T) {
	want := map[string]uint64{"6f1c2d3e-0001-0002-0003-000000000001": 6604}
	if got := parseRules(flowsDumped); !maps.Equal(got, want) {
		t.Errorf("found %v", got)
	}
	if got := parseRules(""); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}

// FuzzStats: a node may print anything; reading it must not panic.
func FuzzStats(f *testing.F) {
	for _, s := range []string{pmdStats, dpctlShow, flowsDumped} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, out string) {
		_, _, _ = parsePMDStats(out)
		_, _ = parseLookups(out)
		parseRules(out)
		parseOffload(out, []string{"p0", "pf0hpf"})
	})
}

// TestPMDPerfStats: newer switches tell the packets of threads that poll in another command.
func TestPMDPerfStats(t *testing.T) {
	const shown = `
Time: 15:24:55.270
Measurement duration: 1.008 s

pmd thread numa_id 0 core_id 1:

  Iterations:        572817  (1.76 us/it)
  Rx packets:                2399607  (2381 Kpps, 848 cycles/pkt)
`
	asked := ""
	n := step.Node{Run: func(_ context.Context, argv []string) (string, error) {
		asked = argv[len(argv)-2]
		if asked == "dpif-netdev/pmd-stats-show" {
			return "", errors.New(`"dpif-netdev/pmd-stats-show" is not a valid command (use --help)`)
		}
		return shown, nil
	}}
	threads, main, err := Switch{}.Received(t.Context(), n, NetdevDatapath)
	if err != nil || threads != 2399607 || main != 0 || asked != "dpif-netdev/pmd-perf-show" {
		t.Errorf("found %d and %d of %s, %v", threads, main, asked, err)
	}
}
