package testbed

import (
	"slices"
	"strings"

	"dpukv/internal/ports"
	"dpukv/kvs"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/submode/packetfilter"
	"dpukv/verbs/provider"
)

// Node is a machine, or a part of one, that runs a server or a client. Its name, and the way to
// start processes there, are the launcher's.
type Node struct {
	launch.Node
	Kind       string      // "host", "dpu"
	Of         string      // the host a DPU sits in
	Generation string      // "bf1", "bf2", "bf3"
	Profile    string      // of an emulated machine: what models its cores; see package emulate
	Address    string      // where the others reach its server
	Ports      ports.Range // that its servers listen on; zero: any free one
	CPUs       []int       // to run on; nil: chosen
	RDMA       RDMA
	Modes      map[card.Mode]Ends // where Address and RDMA differ by the mode of the host's card
	Datapath   Datapath           // of a DPU
}

// RDMA is the device of a node's verbs.
type RDMA struct {
	Device string `json:"device"` // "": as the machines allow; see [Assignment.Device]
	provider.Options
}

// VerbsDevice returns the node's device in the form for stores.
func (n *Node) VerbsDevice() kvs.Device {
	return kvs.Device{Name: n.RDMA.Device, Options: n.verbsOptions()}
}

// verbsOptions are those of the node's device, whose GID must have the node's address.
func (n *Node) verbsOptions() provider.Options {
	o := n.RDMA.Options
	o.Address = n.Address
	return o
}

// The kinds of nodes.
const KindHost, KindDPU = "host", "dpu"

var (
	kinds       = []string{KindHost, KindDPU}
	generations = []string{"bf1", "bf2", "bf3"}
)

// Emulated reports whether the sweep makes the node's machine itself.
func (n *Node) Emulated() bool { return n.Via == launch.Netns && n.Namespace == "" }

// OnThisMachine reports whether the node's processes run on this machine's kernel and CPUs.
func (n *Node) OnThisMachine() bool { return n.Via == launch.Local || n.Via == launch.Netns }

// HostNode returns the name of the host: the node's own, or that of the host that the DPU sits in.
func (n *Node) HostNode() string {
	if n.Kind == KindDPU {
		return n.Of
	}
	return n.Name
}

// Title describes the node: "dpu bf2 of hostA, emulated".
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

// Target returns the kind of machine on which the node's datapath is set up.
func (n *Node) Target() string {
	switch {
	case n.Datapath.Target != "":
		return n.Datapath.Target
	case n.Generation != "" && !n.OnThisMachine():
		return submode.BlueField
	}
	return submode.Linux
}

// Submode returns the submode with this name on a DPU's node. binary is the path of this program
// there. cpus are the CPUs of this machine.
func (n *Node) Submode(
	name, binary string, cpus []int, work packetfilter.Filter,
) (*submode.Submode, error) {
	return submode.New(n.submodeConfig(name, binary, cpus, work))
}

// Rights returns the commands that all submodes run on a DPU's node.
func (n *Node) Rights() ([][]string, error) {
	return submode.Rights(n.submodeConfig("", "", nil, packetfilter.Filter{}))
}

func (n *Node) submodeConfig(
	name, binary string, cpus []int, work packetfilter.Filter,
) submode.Config {
	d := &n.Datapath
	c := submode.Config{
		Submode: name, Target: n.Target(), Datapath: d.Chosen[name],
		Ports: submode.Ports{Wire: d.Wire, Host: d.Host},
		PCI:   d.PCI, CPUs: d.CPUs, Binary: binary, Filter: work,
	}
	if c.CPUs == nil {
		c.CPUs = n.CPUs
	}
	if c.CPUs == nil && n.OnThisMachine() && len(cpus) > 0 {
		c.CPUs = cpus[len(cpus)-1:]
	}
	if n.Emulated() {
		c.Owner = submode.Owner()
	}
	return c
}

// Listen returns the address that the node's servers listen on: see [ports.Listen].
func (n *Node) Listen() string { return ports.Join(n.Address, n.Ports) }

// withDefaults fills in the values that follow from the file's.
func (n Node) withDefaults() Node {
	switch {
	case n.Via == launch.Local && n.Address == "":
		n.Address = Loopback
	case n.Via == launch.SSH && n.Host == "":
		n.Host = n.Address
	case n.Emulated() && n.Profile == "" && n.Kind == KindHost:
		n.Profile = emulate.NoProfile
	case n.Emulated() && n.Profile == "":
		n.Profile = n.Generation
	case n.Emulated() && n.Generation == "" && slices.Contains(generations, n.Profile):
		n.Generation = n.Profile
	}
	return n
}

// fields returns the node's keys and values in the form of a file.
func (n *Node) fields() []string {
	var fields []string
	for i := range nodeKeys {
		if text := nodeKeys[i].text(n); text != "" {
			fields = append(fields, nodeKeys[i].Name+": "+text)
		}
	}
	return fields
}
