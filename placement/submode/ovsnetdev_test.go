package submode

import (
	"testing"

	"dpukv/placement/submode/ovs"
)

func init() {
	removePort := func(l *Lease) []string {
		return ownSwitch(l.setup).Vsctl("del-port", bridgeName, "p0")
	}
	detours[ovsNetdev] = []detour{
		// Its sockets also see the redirected packets.
		{"redirect beneath", nil, redirecting, []string{twice}},
		{"port removed", removePort, redirecting, []string{notTaken}},
	}
}

// TestTwoDatapaths: a real Open vSwitch with a second datapath refuses commands that name none. The
// evidence names its own, and reads the flows of its ports only.
func TestTwoDatapaths(t *testing.T) {
	b := newTestbed(t)
	l := b.apply(t, Config{Submode: SM1, Target: Linux, Datapath: ovsNetdev.name, CPUs: []int{0}})
	own := ownSwitch(l.setup)
	b.run("d", own.Appctl("dpctl/add-dp", "netdev@second")...)
	for command, want := range map[string]string{
		"dpctl/dump-flows":           "multiple datapaths, specify one",
		"dpif-netdev/pmd-stats-show": "please specify an existing datapath",
	} {
		if _, err := b.node("d").Run(t.Context(), own.Appctl(command)); !failsWith(err, want) {
			t.Errorf("%s: found %v, want %q", command, err, want)
		}
	}
	was := b.evidence(l)
	b.load()
	p, err := Prove(was, b.evidence(l))
	if err != nil {
		t.Error(err)
	}
	flows, err := own.Offload(t.Context(), b.node("d"), ovs.NetdevDatapath, l.ports())
	if err != nil || len(flows.Hardware)+len(flows.Partial) > 0 {
		t.Errorf("found %+v, %v", flows, err)
	}
	inFlows := growth(nil, flows.CPU.Packets())
	if carried := p.Packets["carried/ovs"]; float64(inFlows) < leastShare*float64(carried) {
		t.Errorf("found %d packets in flows of %v, and %d carried", inFlows, l.ports(), carried)
	}
	other, err := own.Offload(t.Context(), b.node("d"), ovs.NetdevDatapath, []string{"p1"})
	if err != nil || len(other.CPU) > 0 {
		t.Errorf("another port: found %+v, %v", other, err)
	}
}
