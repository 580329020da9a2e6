package testbed

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/spelling"
	"dpukv/internal/strictyaml"
)

// Placement says where a point's processes run. The study's placements name roles; a testbed's own
// placements name nodes.
type Placement struct {
	Name    string
	clients []Role // the first one stores the keys
	server  Role
}

// Role is one process's place.
type Role struct {
	node string // by name, or else:
	side string // the key of the testbed file that lists the candidates
	kind string // of the node
	own  bool   // of DPUs, the one in the server's host
}

var (
	clientHost = Role{side: "client_side", kind: KindHost}
	clientDPU  = Role{side: "client_side", kind: KindDPU}
	serverHost = Role{side: "server_side", kind: KindHost}
	serverDPU  = Role{side: "server_side", kind: KindDPU}
	localDPU   = Role{side: "server_side", kind: KindDPU, own: true}
)

// studied are the study's placements (its Table 2 and Figure 7a).
var studied = []Placement{
	{"CH-SH", []Role{clientHost}, serverHost},
	{"CD-SH", []Role{clientDPU}, serverHost},
	{"CDH-SH", []Role{clientHost, clientDPU}, serverHost},
	{"CH-SD", []Role{clientHost}, serverDPU},
	{"CD-SD", []Role{clientDPU}, serverDPU},
	{"L-CD-SH", []Role{localDPU}, serverHost},
}

// Assignment has the nodes of a placement.
type Assignment struct {
	Clients []Node
	Server  Node
}

// All returns the nodes, the server's first. A node with two roles comes twice.
func (c *Assignment) All() []*Node {
	nodes := []*Node{&c.Server}
	for i := range c.Clients {
		nodes = append(nodes, &c.Clients[i])
	}
	return nodes
}

// Placements returns the testbed's placements: the study's, then its own.
func (t *Testbed) Placements() []Placement { return slices.Concat(studied, t.Own) }

// Assign finds the nodes of a placement.
func (t *Testbed) Assign(name string) (Assignment, error) {
	all := t.Placements()
	i := slices.IndexFunc(all, func(p Placement) bool { return p.Name == name })
	if i < 0 {
		var known []string
		for _, p := range all {
			known = append(known, p.Name)
		}
		return Assignment{},
			fmt.Errorf("found %s%s, allowed: %s (a testbed file may have its own: placements: "+
				"{%s: {clients: [NODE], server: NODE}})",
				name, spelling.Hint(name, known), strings.Join(known, ", "), name)
	}
	p := &all[i]
	server, err := t.roleNode(p, "server", p.server, nil)
	if err != nil {
		return Assignment{}, err
	}
	c := Assignment{Server: *server}
	for _, s := range p.clients {
		client, err := t.roleNode(p, "client", s, server)
		if err != nil {
			return Assignment{}, err
		}
		c.Clients = append(c.Clients, *client)
	}
	return c, nil
}

// roleNode returns the node that plays a role. server is nil for the server's own role.
func (t *Testbed) roleNode(p *Placement, role string, s Role, server *Node) (*Node, error) {
	if s.node != "" {
		return t.Node(s.node), nil // it exists, or the file was refused
	}
	side := t.ClientSide
	if s.side == serverHost.side {
		side = t.ServerSide
	}
	for _, name := range side {
		if n := t.Node(name); n != nil && n.Kind == s.kind && (!s.own || n.Of == server.Name) {
			return n, nil
		}
	}
	what := "a " + s.kind
	if s.own {
		what = "the DPU in the server's host " + server.Name
	}
	return nil, fmt.Errorf("%s runs the %s on %s, and %s of testbed %s has none (only %s): add "+
		"one to the testbed, or choose another placement",
		p.Name, role, what, s.side, t.Name, strings.Join(side, ", "))
}

// isName reports whether s can name a node or a placement. Names occur in files, file names and
// commands.
func isName(s string) bool {
	const others = "+-_."
	fits := len(s) > 0 && len(s) <= 40 && !strings.ContainsRune(others, rune(s[0]))
	for _, r := range s {
		fits = fits && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' ||
			strings.ContainsRune(others, r))
	}
	return fits
}

const nameRule = "up to 40 letters, digits and + - _ . with a letter or digit first"

// PlacementName reads the name of a placement. It does not check whether a testbed has the
// placement.
var PlacementName = strictyaml.Codec[string]{
	Parse: func(s string) (string, error) {
		if !isName(s) {
			return "", strictyaml.ErrNotAllowed
		}
		return s, nil
	},
	Format:  func(s string) string { return s },
	Allowed: "the name of a placement: " + nameRule,
}

var placementKeys = []Key{
	{
		Name: "clients", Help: "Nodes of the clients. The first client stores the keys.",
		Allowed: "one or more of the nodes", Default: "required", Example: "[hostA, hostB]",
	},
	{
		Name: "server", Help: "Node of the server.", Allowed: "one of the nodes",
		Default: "required", Example: "dpuB",
	},
}

// readPlacements takes the testbed's own placements from its file.
func (r *testbedReader) readPlacements(e strictyaml.Entry) {
	for _, own := range r.Mapping("placements", e.Value) {
		p := Placement{Name: own.Key}
		r.t.where["placement "+p.Name] = own.At
		if !isName(p.Name) {
			r.Fault(own.At, "placements: found %q, allowed: %s", p.Name, PlacementName.Allowed)
		}
		if slices.ContainsFunc(studied, func(s Placement) bool { return s.Name == p.Name }) {
			r.Fault(own.At, "placements: found %s, allowed: a name that is not the study's", p.Name)
		}
		for _, field := range r.Mapping("placement "+p.Name, own.Value) {
			switch field.Key {
			case "clients":
				for _, name := range r.words(field) {
					p.clients = append(p.clients, Role{node: name})
				}
			case "server":
				p.server.node = r.text(field)
			default:
				r.Unknown(field, keyNames(placementKeys))
			}
		}
		r.t.Own = append(r.t.Own, p)
	}
}

// checkPlacements checks the testbed's own placements against the nodes.
func (r *testbedReader) checkPlacements() {
	for _, p := range r.t.Own {
		where := r.t.where["placement "+p.Name]
		if len(p.clients) == 0 || p.server.node == "" {
			r.Fault(where, "placement %s: found no clients or no server, allowed: clients: "+
				"[NODE, …], server: NODE", p.Name)
		}
		for _, s := range append(slices.Clone(p.clients), p.server) {
			if s.node != "" && r.t.Node(s.node) == nil {
				r.Fault(where, "placement %s: found %s, allowed: the nodes (%s)", p.Name, s.node,
					strings.Join(r.t.names(), ", "))
			}
		}
	}
}

// ownTexts returns the testbed's own placements in the form of a file.
func (t *Testbed) ownTexts() []string {
	var texts []string
	for _, p := range t.Own {
		var clients []string
		for _, s := range p.clients {
			clients = append(clients, s.node)
		}
		texts = append(texts,
			fmt.Sprintf("%s: {clients: [%s], server: %s}", p.Name, strings.Join(clients, ", "),
				p.server.node))
	}
	return texts
}
