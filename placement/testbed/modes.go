package testbed

import (
	"cmp"
	"slices"
	"strings"

	"dpukv/internal/strictyaml"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
)

// Ends are what a node has for the load in one mode of its card. Empty fields are as in the node.
type Ends struct {
	Address string
	RDMA    *RDMA
}

// modeKeys are the modes in which a node may have an address and a device of their own.
var modeKeys = []Key{
	{
		Name: string(card.Separated), Help: "In separated-host mode.",
		Allowed: "a mapping: see below", Default: "as in the node",
		Example: "{address: 10.10.10.2, rdma: {device: mlx5_0}}",
	},
	{
		Name:    string(card.DPU),
		Help:    "In DPU mode. The Arm's own end is a scalable function there.",
		Allowed: "a mapping: see below", Default: "as in the node",
		Example: "{address: 10.10.10.12, rdma: {device: mlx5_2}}",
	},
}

var endsKeys = []Key{
	{
		Name: "address", Help: "Address at which the other nodes reach this node in the mode.",
		Allowed: "an address or a name", Default: "as in the node", Example: "10.10.10.12",
	},
	{
		Name: "rdma", Help: "RDMA device of the node in the mode.",
		Allowed: "a mapping: see above", Default: "as in the node", Example: "{device: mlx5_2}",
	},
}

func (r *testbedReader) modes(e strictyaml.Entry) map[card.Mode]Ends {
	modes := map[card.Mode]Ends{}
	for _, mode := range r.Mapping("modes", e.Value) {
		if !slices.Contains(keyNames(modeKeys), mode.Key) {
			r.Unknown(mode, keyNames(modeKeys))
			continue
		}
		modes[card.Mode(mode.Key)] = r.ends(mode)
	}
	return modes
}

func (r *testbedReader) ends(mode strictyaml.Entry) Ends {
	var ends Ends
	for _, field := range r.Mapping("mode "+mode.Key, mode.Value) {
		switch field.Key {
		case "address":
			ends.Address = r.text(field)
		case "rdma":
			device := r.rdma(field)
			ends.RDMA = &device
		default:
			r.Unknown(field, keyNames(endsKeys))
		}
	}
	return ends
}

// modesText writes the modes in the form of a file.
func (n *Node) modesText() string {
	var modes []string
	for _, k := range modeKeys {
		ends, ok := n.Modes[card.Mode(k.Name)]
		if !ok {
			continue
		}
		var parts []string
		if ends.Address != "" {
			parts = append(parts, "address: "+plain(ends.Address))
		}
		if ends.RDMA != nil {
			parts = append(parts, "rdma: "+cmp.Or(ends.RDMA.text(), "{}"))
		}
		modes = append(modes, k.Name+": {"+strings.Join(parts, ", ")+"}")
	}
	return mapping(modes)
}

// ModeOf returns the mode that a submode asks of every card of a placement; "": any. An on-path
// submode asks it of the server's card only, whose datapath checks it.
func ModeOf(name string) card.Mode {
	switch name {
	case submode.OffPath:
		return card.Separated
	case submode.OffPathSF:
		return card.DPU
	}
	return ""
}

// InModes returns the nodes with their addresses and devices in a mode of their host's card.
// mode returns "" for an unknown mode.
func (c *Assignment) InModes(mode func(host string) card.Mode) Assignment {
	in := Assignment{Server: *c.Server.in(mode), Clients: slices.Clone(c.Clients)}
	for i := range in.Clients {
		in.Clients[i] = *in.Clients[i].in(mode)
	}
	half := func(n *Node) *Node {
		if n == nil {
			return nil
		}
		its := *n.in(mode)
		return &its
	}
	in.Store, in.Proxy = half(c.Store), half(c.Proxy)
	return in
}

// For returns the nodes as a submode needs them, as far as that is known before a visit.
func (c *Assignment) For(name string) Assignment {
	return c.InModes(func(host string) card.Mode {
		if submode.OnPath(name) && host == c.Server.HostNode() {
			return card.DPU
		}
		return ModeOf(name)
	})
}

func (n *Node) in(mode func(host string) card.Mode) *Node {
	return n.InMode(mode(n.HostNode()))
}

// InMode returns the node with its address and device in a mode of its host's card.
func (n *Node) InMode(mode card.Mode) *Node {
	ends, ok := n.Modes[mode]
	if !ok {
		return n
	}
	changed := *n
	if ends.Address != "" {
		changed.Address = ends.Address
	}
	if ends.RDMA != nil {
		changed.RDMA = *ends.RDMA
	}
	return &changed
}
