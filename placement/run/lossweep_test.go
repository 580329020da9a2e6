package run

import (
	"strings"
	"testing"

	"dpukv/placement/machines"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// lossy makes a machine of a lab lose one in a hundred packets that come to it. It returns the
// method.
func lossy(t *testing.T, m *machines.Machines, name string) string {
	t.Helper()
	on := m.SubmodeNode(m.Bed.Node(name))
	why := ""
	for how, script := range map[string]string{
		"nft": "nft add table ip loss && nft add chain ip loss in '{type filter hook input priority 0;}' && " +
			"nft add rule ip loss in numgen random mod 100 0 counter drop",
		"netem": "ip link add ifb-loss type ifb && ip link set ifb-loss up && " +
			"tc qdisc add dev eth0 root netem loss 1% && " +
			"tc qdisc add dev eth0 ingress && tc filter add dev eth0 parent ffff: matchall " +
			"action mirred egress redirect dev ifb-loss && tc qdisc add dev ifb-loss root netem loss 1%",
	} {
		_, err := on.Run(t.Context(), []string{"sh", "-c", script})
		if err == nil {
			return how
		}
		why += how + ": " + err.Error() + "\n"
	}
	t.Skip("a network that loses needs nft's numgen, or tc's netem and ifb:\n" + why)
	return ""
}

// TestLossIsNamed: lost packets in either direction affect the figure, and the point says so. The
// client sees the losses of its own packets. The server's kernel reports those of the server,
// whatever the store.
func TestLossIsNamed(t *testing.T) {
	for _, c := range []struct{ machine, side, Store string }{
		{"hostB", "client", "mica"}, {"hostA", "server", "mica"}, {"hostA", "server", "memcached"},
	} {
		t.Run(c.machine+"/"+c.Store, func(t *testing.T) {
			if c.Store == "memcached" {
				needInstalled(t)
			}
			file := strings.Replace(longerPoints, "store: [mica, herd]", "store: "+c.Store, 1)
			file = strings.Replace(file, "mode: store\n", "", 1)
			o := inLab(t, file+"placement: [CH-SH]\n", func(event string, _ *sweep.Point, m *machines.Machines) {
				if event == "go" {
					t.Log("packets get lost by", lossy(t, m, c.machine))
				}
			})
			runAll(t, o)
			want := "the network lost or delayed packets of the " + c.side
			for _, p := range readPoints(t, o.Dir) {
				all := p.Warnings.String()
				if p.Status == results.StatusOK && !strings.Contains(all, want) {
					t.Errorf("%s: got %q, want %q in it: the client's sockets moved %+v, the server's %+v",
						p.ID, p.Warnings, want, p.ClientMovedWindow.Sockets, p.ServerMovedLoad.Sockets)
				}
				t.Logf("%s: %.0f operations a second; %s", p.ID, p.ThroughputOps, all)
			}
		})
	}
}
