package submode

import (
	"context"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/step"
)

func init() {
	detours[bridge] = []detour{
		{"redirect beneath", nil, redirecting, []string{notTaken}},
		{"ports moved", nil, otherBridge, []string{notTaken}},
	}
}

// TestBridgeCount: packets of a port in another bridge count as elsewhere.
func TestBridgeCount(t *testing.T) {
	node := step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
		if argv[0] == "ip" {
			return `[{"ifname":"p0","master":"dpukv0"},{"ifname":"pf0hpf","master":"br1"}]`, nil
		}
		return `table bridge dpukv0 {
	chain forward {
		type filter hook forward priority filter; policy accept;
		iifname "p0" counter packets 7 bytes 700
		iifname "pf0hpf" counter packets 5 bytes 500
	}
}`, nil
	}}
	s := mustNew(t, Config{Submode: SM1, Target: Linux, Datapath: "bridge"})
	e := newEvidence(s.setup(bridge, ""))
	must.Do(t, bridge.Count(t.Context(), e.setup, node, &e.Counts))
	if e.Carried["p0"] != 7 || len(e.Carried) != 1 || e.Elsewhere[`pf0hpf in bridge "br1"`] != 5 {
		t.Errorf("found %+v", e.Counts)
	}
}
