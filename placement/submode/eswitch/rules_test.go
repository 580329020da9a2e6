package eswitch

import (
	"maps"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/transcript"
)

// rulesShown is in the form of iproute2's "tc -s filter show", from documentation: a rule in the
// eSwitch with two actions, one that only the CPU follows, and one by an older tc.
const rulesShown = `filter protocol ip pref 2 flower chain 0
filter protocol ip pref 2 flower chain 0 handle 0x1
  dst_mac aa:bb:cc:00:00:02
  eth_type ipv4
  in_hw in_hw_count 1
	action order 1: mirred (Egress Mirror to device pf0hpf) pipe
	index 1 ref 1 bind 1 installed 20 sec used 0 sec
	Action statistics:
	Sent 100700 bytes 1007 pkt (dropped 0, overlimits 0 requeues 0)
	Sent software 700 bytes 7 pkt
	Sent hardware 100000 bytes 1000 pkt
	backlog 0b 0p requeues 0
	not_in_hw
	used_hw_stats delayed

	action order 2: mirred (Egress Redirect to device p1) stolen
	Sent 100700 bytes 1007 pkt (dropped 0, overlimits 0 requeues 0)
	Sent software 700 bytes 7 pkt
	Sent hardware 100000 bytes 1000 pkt

filter protocol arp pref 3 flower chain 0
filter protocol arp pref 3 flower chain 0 handle 0x1
  eth_type arp
  not_in_hw
	action order 1: mirred (Egress Redirect to device pf0hpf) stolen
	Sent 84 bytes 2 pkt (dropped 0, overlimits 0 requeues 0)

filter protocol ip pref 4 flower handle 0x2
  in_hw
	action order 1: mirred (Egress Redirect to device pf0hpf) stolen
	Sent 500 bytes 5 pkt (dropped 0, overlimits 0 requeues 0)
`

func TestInHardware(t *testing.T) {
	got := must.Get(InHardware(t.Context(), says(rulesShown, nil), []string{"p0"}))(t)
	if want := map[string]uint64{"p0 2/0/0x1": 1000, "p0 4//0x2": 5}; !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestRulesOfMlx5 reads a rule as the driver's authors show it.
func TestRulesOfMlx5(t *testing.T) {
	got := map[string]uint64{}
	addInHardware(got, "p0", transcript.Read(t, "../testdata/transcripts/undated/tc-filter-show.txt"))
	if want := map[string]uint64{"p0 4/0/0x1": 952}; !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
