package submode

import (
	"testing"

	"dpukv/placement/submode/step"
)

func init() {
	remove := func(*Lease) []string {
		return step.Shell(`for p in p0 pf0hpf; do tc qdisc del dev $p ingress; done`)
	}
	detours[u32] = []detour{{"rules removed", remove, otherBridge, []string{notTaken}}}
}

// mirredShown is output of iproute2 6.1.
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

func TestParseMirred(t *testing.T) {
	for _, c := range []struct {
		out, to string
		want    uint64
	}{{mirredShown, "pf0hpf", 12711}, {mirredShown, "elsewhere", 0}, {"", "pf0hpf", 0}} {
		if got, err := parseMirred(c.out, c.to); got != c.want || err != nil {
			t.Errorf("to %s: found %d, %v, want %d", c.to, got, err, c.want)
		}
	}
}

// FuzzParseMirred: a node may print anything; reading it must not panic.
func FuzzParseMirred(f *testing.F) {
	f.Add(mirredShown)
	f.Fuzz(func(_ *testing.T, out string) { _, _ = parseMirred(out, "p0") })
}
