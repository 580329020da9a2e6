package testbedcheck

import (
	"errors"
	"strings"
	"testing"

	"dpukv/placement/cardreport"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
)

// TestCardsOfALab: on emulated machines nothing is refused, and every way carries TCP, datagrams
// and packets of the full size.
func TestCardsOfALab(t *testing.T) {
	c, bed := ofALab(t)
	c.card = true
	var out strings.Builder
	if err := c.run(t.Context(), &bed, func(t *table) error { return t.cards(&out) }); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if got := strings.Count(out.String(), " at eth0 veth "); got != 4 {
		t.Errorf("found the driver veth %d times, want 4:\n%s", got, out.String())
	}
	for _, check := range []string{"ok       TCP to", "ok       UDP 4791 to", "ok       full size to"} {
		if got := strings.Count(out.String(), check); got != 4*3 {
			t.Errorf("found %q %d times, want one for each pair:\n%s", check, got, out.String())
		}
	}
}

// TestCards: the findings of a node come with their commands, a way that fails is refused, and a
// NIC that takes UDP port 4791 is refused for softroce only.
func TestCards(t *testing.T) {
	visitOf := func(name, device, udp string) *visit {
		v := &visit{
			node: &testbed.Node{
				Node: launch.Node{Name: name, Via: launch.SSH}, Kind: testbed.KindDPU, Generation: "bf2", Of: "h",
				Address: "192.168.200." + name, RDMA: testbed.RDMA{Device: device},
			},
			found: &node.Inspection{
				Card: &cardreport.Report{Answers: []cardreport.Answer{{Name: "mst", NotRun: "it needs root"}}},
				Addr: "192.168.200." + name + ":1", UDPAddr: "192.168.200." + name + ":4791",
			},
			facts: &cardreport.Facts{
				Cards: []cardreport.Card{{Card: card.Card{PCI: "0000:03:00.0", Generation: "bf2", Current: card.NIC}}},
				Links: []cardreport.Link{{Name: "p0", MTU: 1500, Addresses: []string{"192.168.200." + name}}},
			},
		}
		other := map[string]string{"1": "2", "2": "1"}[name]
		v.reached = &node.Reached{
			Errors: map[string]string{"192.168.200." + other + ":1": ""},
			UDP:    map[string]string{"192.168.200." + other + ":4791": udp},
			Pings:  map[string]string{"192.168.200." + other: "message too long, mtu=1450"},
		}
		return v
	}
	lost := &visit{node: &testbed.Node{Node: launch.Node{Name: "lost"}}, err: errors.New("node lost: no ssh")}
	tab := table{visits: []*visit{visitOf("1", "softroce", "i/o timeout"), visitOf("2", "mlx5_0", "i/o timeout"), lost}}
	var out strings.Builder
	err := tab.cards(&out)
	if err == nil || !strings.Contains(err.Error(), " refused: mend them") {
		t.Errorf("found %v", err)
	}
	for _, want := range []string{
		"node 1 (dpu bf2 of h)\n",
		"refused  card 0000:03:00.0 mode NIC mode now; ",
		"           $ mlxconfig -d 0000:03:00.0 set INTERNAL_CPU_OFFLOAD_ENGINE=0\n",
		"refused  root                   commands do not run as root",
		"ok       TCP to 2               192.168.200.2:1\n",
		"fact     UDP 4791 to 2          datagram to 192.168.200.2:4791 (with RoCE on, the NIC",
		"refused  UDP 4791 to 1          datagram to 192.168.200.1:4791: i/o timeout",
		"refused  full size to 2         ping of 1500 bytes without cutting: message too long, mtu=1450",
		"           $ ping -M do -s 1472 192.168.200.2\n",
		"fact     not looked at          mst: it needs root\n",
		"node lost: no ssh",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("found\n%s, want it to hold %q", out.String(), want)
		}
	}
}
