package machines

import (
	"strings"
	"testing"

	"dpukv/internal/test/programs"
	"dpukv/placement/launch"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
)

// cards returns a testbed with a card in one host, and none in the other. The PATH has the tools of
// the card.
func cards(t *testing.T, mlxconfig string) (*Machines, *testbed.Assignment) {
	t.Helper()
	programs.First(t, map[string]string{"mlxconfig": mlxconfig, "mst": "exit 1\n", "sudo": "shift; exec \"$@\"\n"})
	local := func(name string) launch.Node { return launch.Node{Name: name, Via: launch.Local} }
	host := func(name string) testbed.Node {
		return testbed.Node{Node: local(name), Kind: testbed.KindHost, Address: testbed.Loopback}
	}
	m := &Machines{Bed: testbed.Testbed{Name: "t.yaml", Nodes: []testbed.Node{
		host("hostA"), host("hostB"),
		{
			Node: local("dpuB"), Kind: testbed.KindDPU, Of: "hostB", Address: "10.10.10.4",
			Datapath: testbed.Datapath{Target: submode.BlueField, PCI: "0000:05:00.0"},
		},
	}}}
	return m, &testbed.Assignment{Server: m.Bed.Nodes[1], Clients: m.Bed.Nodes[:1]}
}

// TestCards: a card that the testbed names is read on it, at its PCI address; a host without a card
// has none; emulated machines are not asked.
func TestCards(t *testing.T) {
	m, c := cards(t, `test "$2" = 0000:05:00.0 || exit 1; echo "$5 0 0 0"`+"\n")
	got, err := m.Cards(t.Context(), c)
	if err != nil || len(got) != 1 || got[0].Host != "hostB" || got[0].ReadOn != "dpuB" ||
		got[0].Current != card.Separated {
		t.Errorf("got %+v, %v", got, err)
	}
	for i := range m.Bed.Nodes {
		m.Bed.Nodes[i].Via = launch.Netns
	}
	c = &testbed.Assignment{Server: m.Bed.Nodes[1], Clients: m.Bed.Nodes[:1]}
	if got, err := m.Cards(t.Context(), c); err != nil || got != nil {
		t.Errorf("emulated: got %+v, %v", got, err)
	}
}

// TestCardsUnread: a named card without an answer is an error. A card that only the host's PCI IDs
// tell of is one of unknown mode.
func TestCardsUnread(t *testing.T) {
	m, c := cards(t, "echo '-E- Failed to open the device'; exit 3\n")
	if got, err := m.Cards(t.Context(), c); err == nil ||
		!strings.Contains(err.Error(), "the mode of the card in hostB is not known: node dpuB") {
		t.Errorf("got %+v, %v", got, err)
	}
	m.Bed.Nodes = m.Bed.Nodes[:2]
	for i := range m.Bed.Nodes {
		m.Bed.Nodes[i].Address = "10.10.10.3"
	}
	c = &testbed.Assignment{Server: m.Bed.Nodes[1], Clients: m.Bed.Nodes[1:]}
	m.seen = map[string]card.Node{"hostB 10.10.10.3": {Functions: []card.Function{{PCI: "0000:81:00.0"}}}}
	got, err := m.Cards(t.Context(), c)
	if err != nil || len(got) != 1 || got[0].ReadOn != "" ||
		!strings.Contains(got[0].Why, "Failed to open the device") {
		t.Errorf("got %+v, %v", got, err)
	}
}
