package submode

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestProve: what counters may show besides the way that was asked for.
func TestProve(t *testing.T) {
	s := newSite(&mustNew(t, Config{Submode: SM1, Target: Linux}).cfg, lookup(Linux, SM1, "ovs-netdev"), "")
	each := func(n uint64) map[string]uint64 { return map[string]uint64{"p0": n, "pf0hpf": n} }
	for name, c := range map[string]struct {
		change func(before, after *Evidence)
		want   string
	}{
		"all is well":            {func(*Evidence, *Evidence) {}, ""},
		"a tenth lost":           {func(_, e *Evidence) { e.Left, e.Carried = each(1900), each(1900) }, ""},
		"more is lost":           {func(_, e *Evidence) { e.Carried = each(1899) }, "found 2000 packets that came in at p0 and pf0hpf, and 1798 that it took"},
		"dropped by the filter":  {func(_, e *Evidence) { e.Left, e.Carried, e.Dropped = each(1500), each(1500), 1000 }, ""},
		"it has other work":      {func(_, e *Evidence) { e.Carried = each(2200) }, "found 2400 packets that it took, and only 2000 that came in at p0 and pf0hpf: it has other work"},
		"something else, too":    {func(_, e *Evidence) { e.Left = each(2200) }, "found 2000 packets that came in, and 2400 that went out"},
		"one way only":           {func(_, e *Evidence) { e.Came["p0"] = 1000 }, "found no packet that came in at p0"},
		"some strays":            {func(_, e *Evidence) { e.Elsewhere = map[string]uint64{"main": 300} }, ""},
		"another way":            {func(_, e *Evidence) { e.Elsewhere = map[string]uint64{"main": 301} }, "found 301 of 2000 packets on a way that should not be taken"},
		"another way, by flows":  {func(_, e *Evidence) { e.Stray = map[string]uint64{"a": 301} }, "found 301 of 2000 packets on a way that should not be taken"},
		"set up anew":            {func(_, e *Evidence) { e.Came["p0"] = 999 }, "came at p0: found 999, after 1000: it was set up anew in between"},
		"trains of requests":     {func(_, e *Evidence) { e.Uncut = 1 }, "found 1 trains of requests in one piece"},
		"by flows, one of them":  {func(_, e *Evidence) { e.Carried, e.Flows = nil, map[string]uint64{"a": 1000, "b": 900} }, ""},
		"flows that are too few": {func(_, e *Evidence) { e.Carried, e.Flows = nil, map[string]uint64{"b": 1799} }, "and 1799 that it took"},
	} {
		at := func(n uint64) *Evidence { return &Evidence{Came: each(n), Left: each(n), Carried: each(n), site: s} }
		before, after := at(1000), at(2000)
		c.change(before, after)
		proof, err := Prove(before, after)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q; %v", name, err, c.want, proof.Packets)
		}
	}
}

// TestEvidenceWhileNothingComes: counters between which packets came are read again, for a while.
func TestEvidenceWhileNothingComes(t *testing.T) {
	for busy, want := range map[int]uint64{0: 1, 1: 2, 1000: looks} {
		came, reads := 0, 0
		node := Node{"d", func(_ context.Context, argv []string) (string, error) {
			if argv[0] == "ip" {
				reads++
				stats := fmt.Sprintf(`"stats64":{"rx":{"packets":%d}}`, came)
				return `[{"ifname":"p0",` + stats + `},{"ifname":"pf0hpf",` + stats + `}]`, nil
			}
			came = min(came+1, busy) // a packet between the interfaces' counters and the datapath's
			return `{"p0":{"passed":1},"pf0hpf":{"passed":1}}`, nil
		}}
		s := mustNew(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx"})
		l := &Lease{site: newSite(&s.cfg, s.datapath, "/x"), node: node}
		e, err := l.Evidence(t.Context())
		if err != nil || e.Came["p0"] != want-1 || reads > 2*looks {
			t.Errorf("%d packets in between: found %+v after %d reads, %v", busy, e, reads, err)
		}
	}
}
