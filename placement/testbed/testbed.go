package testbed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

// Testbed names the machines and which of them a placement may use on which side.
type Testbed struct {
	Name       string // of its file, or "local"
	Nodes      []Node
	ClientSide []string // node names: a host, its DPU, or both
	ServerSide []string
	Own        []Placement // placements beside the study's
	Binaries   string      // a folder with dpukv for other architectures; "": that of this binary

	where map[string]strictyaml.Position // the nodes' and placements' places in the file
}

// Node is a machine, or a share of one, that runs a server or a client. Its name and the way to start
// processes there are those of the launcher.
type Node struct {
	launch.Node
	Kind       string // "host", "dpu"
	Of         string // the host a DPU sits in
	Generation string // "bf1", "bf2", "bf3"
	Profile    string // of an emulated machine: what models its cores; see package emulate
	Address    string // where the others reach its server
	CPUs       []int  // to run on; nil: chosen
	RDMA       RDMA
	Datapath   Datapath // of a DPU
}

// RDMA is the device a node's verbs use.
type RDMA struct {
	Device string `json:"device"` // "": as the machines allow; see [Assignment.Device]
	provider.Options
}

// The kinds of nodes.
const KindHost, KindDPU = "host", "dpu"

var (
	kinds       = []string{KindHost, KindDPU}
	generations = []string{"bf1", "bf2", "bf3"}
)

// loopback is where a server on this machine listens if its node has no address.
const loopback = "127.0.0.1"

// Local is the testbed of one machine without a DPU: it plays both hosts.
func Local() Testbed {
	end := func(name string) Node {
		return Node{
			Node: launch.Node{Name: name, Via: launch.Local}, Kind: KindHost,
			Address: loopback, RDMA: RDMA{Options: provider.Defaults},
		}
	}
	return Testbed{
		Name: "local", Nodes: []Node{end("client"), end("server")},
		ClientSide: []string{"client"}, ServerSide: []string{"server"},
	}
}

// Emulated reports whether the node is a machine that the sweep makes for itself.
func (n *Node) Emulated() bool { return n.Via == launch.Netns && n.Namespace == "" }

// OnThisMachine reports whether the node's processes run on this machine's kernel and CPUs.
func (n *Node) OnThisMachine() bool { return n.Via == launch.Local || n.Via == launch.Netns }

// EmulatedText says what stands for the machines, in words that stand beside every result; "" if all are what they are.
func (t *Testbed) EmulatedText() string {
	var machines []string
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch {
		case !n.Emulated():
		case n.Profile == emulate.NoProfile:
			machines = append(machines, n.Name+" unmodelled")
		default:
			machines = append(machines, n.Name+" as "+n.Profile)
		}
	}
	if machines == nil {
		return ThisGuest()
	}
	return "network namespaces of " + cmp.Or(ThisGuest(), "one machine") + ", " + strings.Join(machines, ", ")
}

// Node finds a node by its name; nil: there is none.
func (t *Testbed) Node(name string) *Node {
	i := slices.IndexFunc(t.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Nodes[i]
}

// Place is the place in the file of a node, or of "placement NAME", to begin an error with; "" if the
// testbed has no file.
func (t *Testbed) Place(name string) string {
	if p, ok := t.where[name]; ok {
		return p.String() + ": "
	}
	return ""
}

func (t *Testbed) names() []string {
	var names []string
	for i := range t.Nodes {
		names = append(names, t.Nodes[i].Name)
	}
	return names
}

// Differences names what is otherwise in b than in t, with both.
func (t *Testbed) Differences(b *Testbed) []string {
	var diff []string
	note := func(what, there, here string) {
		if there != here {
			diff = append(diff, fmt.Sprintf("%s is [%s] there, [%s] here", what, there, here))
		}
	}
	note("nodes", strings.Join(t.names(), ", "), strings.Join(b.names(), ", "))
	for i := range t.Nodes {
		if other := b.Node(t.Nodes[i].Name); other != nil {
			note("node "+other.Name, strings.Join(t.Nodes[i].fields(), ", "), strings.Join(other.fields(), ", "))
		}
	}
	note("client_side", strings.Join(t.ClientSide, ", "), strings.Join(b.ClientSide, ", "))
	note("server_side", strings.Join(t.ServerSide, ", "), strings.Join(b.ServerSide, ", "))
	note("placements", strings.Join(t.ownTexts(), ", "), strings.Join(b.ownTexts(), ", "))
	return diff
}

// Title is what the node is: "dpu bf2 of hostA, emulated".
func (n *Node) Title() string {
	text := strings.TrimSpace(n.Kind + " " + n.Generation)
	if n.Of != "" {
		text += " of " + n.Of
	}
	if n.Emulated() {
		text += ", emulated"
	}
	return text
}
