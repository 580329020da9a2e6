package testbed

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/field"
	"dpukv/internal/spelling"
	"dpukv/internal/strictyaml"
)

// Placement says where a point's processes run. The study's placements name roles; a testbed's own
// placements name nodes.
type Placement struct {
	Name    string
	clients []Role // the first one stores the keys
	server  Role   // of a split server, the engine
	store   *Role  // of a split server, the store half; nil: the server is whole
	proxy   *Role  // the network half of the client; nil: the client is whole
}

// Role is one process's place.
type Role struct {
	node string // by name, or else:
	side string // the key of the testbed file that lists the candidates
	kind string // of the node
	own  bool   // of DPUs, the one in the host of the role that was found before
}

var (
	clientHost = Role{side: "client_side", kind: KindHost}
	clientDPU  = Role{side: "client_side", kind: KindDPU}
	serverHost = Role{side: "server_side", kind: KindHost}
	serverDPU  = Role{side: "server_side", kind: KindDPU}
	localDPU   = Role{side: "server_side", kind: KindDPU, own: true}
	proxyDPU   = Role{side: "client_side", kind: KindDPU, own: true}
)

// studied are the study's placements (its Table 2 and Figure 7a).
var studied = []Placement{
	{Name: "CH-SH", clients: []Role{clientHost}, server: serverHost},
	{Name: "CD-SH", clients: []Role{clientDPU}, server: serverHost},
	{Name: "CDH-SH", clients: []Role{clientHost, clientDPU}, server: serverHost},
	{Name: "CH-SD", clients: []Role{clientHost}, server: serverDPU},
	{Name: "CD-SD", clients: []Role{clientDPU}, server: serverDPU},
	{Name: "L-CD-SH", clients: []Role{localDPU}, server: serverHost},
}

// halves are the placements of a store in halves. A name follows a request: client, proxy, engine,
// store, each on a host or a DPU. A sweep gets them only by name.
var halves = []Placement{
	{Name: "CH-ED-SH", clients: []Role{clientHost}, server: localDPU, store: &serverHost},
	{Name: "CH-PD-SH", clients: []Role{clientHost}, server: serverHost, proxy: &proxyDPU},
	{
		Name: "CH-PD-ED-SH", clients: []Role{clientHost}, server: localDPU, store: &serverHost,
		proxy: &proxyDPU,
	},
	{Name: "CH-EH-SD", clients: []Role{clientHost}, server: serverHost, store: &localDPU},
}

// OnlyByName reports whether a placement is one of halves, which a sweep gets only by name.
func OnlyByName(name string) bool {
	return slices.ContainsFunc(halves, func(p Placement) bool { return p.Name == name })
}

// MaySplit reports whether a placement may have an engine, and whether it may have a proxy. One of
// a testbed's own may have both.
func MaySplit(name string) (engine, proxy bool) {
	for _, p := range slices.Concat(studied, halves) {
		if p.Name == name {
			return p.store != nil, p.proxy != nil
		}
	}
	return true, true
}

// MustSplit reports whether a placement is known to have an engine, and whether a proxy.
func MustSplit(name string) (engine, proxy bool) {
	if !OnlyByName(name) {
		return false, false
	}
	return MaySplit(name)
}

// Assignment has the nodes of a placement.
type Assignment struct {
	Clients []Node
	Server  Node  // that clients connect to: of a split server, the engine
	Store   *Node // the store half of a split server; nil: the server is whole
	Proxy   *Node // the network half of the client; nil: the client is whole
}

// All returns the nodes: the server's first, then the clients', the store half's and the proxy's. A
// node with two roles comes twice.
func (c *Assignment) All() []*Node {
	nodes := []*Node{&c.Server}
	for i := range c.Clients {
		nodes = append(nodes, &c.Clients[i])
	}
	for _, n := range []*Node{c.Store, c.Proxy} {
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Lanes returns the pairs of nodes that lanes join.
func (c *Assignment) Lanes() (pairs [][2]*Node) {
	if c.Store != nil {
		pairs = append(pairs, [2]*Node{&c.Server, c.Store})
	}
	if c.Proxy != nil {
		pairs = append(pairs, [2]*Node{c.Proxy, &c.Clients[0]})
	}
	return pairs
}

// Ways returns the pairs of nodes of which the first one connects to the second one. A client with
// a proxy asks the server for its counters itself.
func (c *Assignment) Ways() (ways [][2]*Node) {
	for i := range c.Clients {
		ways = append(ways, [2]*Node{&c.Clients[i], &c.Server})
	}
	if c.Proxy != nil {
		ways = append(ways, [2]*Node{&c.Clients[0], c.Proxy}, [2]*Node{c.Proxy, &c.Server})
	}
	if c.Store != nil {
		ways = append(ways, [2]*Node{&c.Server, c.Store})
	}
	return ways
}

// Split reports whether the server or the client is in halves.
func (c *Assignment) Split() bool { return c.Store != nil || c.Proxy != nil }

// Placements returns the testbed's placements: the study's, those of halves, then its own.
func (t *Testbed) Placements() []Placement { return slices.Concat(studied, halves, t.Own) }

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
	c, err := t.assignServer(p)
	if err != nil {
		return Assignment{}, err
	}
	for _, s := range p.clients {
		client, err := t.roleNode(p, "client", s, &c.Server)
		if err != nil {
			return Assignment{}, err
		}
		c.Clients = append(c.Clients, *client)
	}
	if p.proxy != nil {
		proxy, err := t.roleNode(p, "proxy", *p.proxy, &c.Clients[0])
		if err != nil {
			return Assignment{}, err
		}
		of := *proxy
		c.Proxy = &of
	}
	return c, nil
}

// assignServer finds the nodes of the server. Of a split one, the half on the host comes first.
func (t *Testbed) assignServer(p *Placement) (c Assignment, err error) {
	if p.store == nil {
		server, err := t.roleNode(p, "server", p.server, nil)
		if err == nil {
			c.Server = *server
		}
		return c, err
	}
	const engine, store = "engine", "store half"
	var engineNode, storeNode *Node
	if p.server.own {
		if storeNode, err = t.roleNode(p, store, *p.store, nil); err == nil {
			engineNode, err = t.roleNode(p, engine, p.server, storeNode)
		}
	} else if engineNode, err = t.roleNode(p, engine, p.server, nil); err == nil {
		storeNode, err = t.roleNode(p, store, *p.store, engineNode)
	}
	if err != nil {
		return c, err
	}
	own := *storeNode
	return Assignment{Server: *engineNode, Store: &own}, nil
}

// roleNode returns the node that plays a role. near is the node that its DPU has to be in.
func (t *Testbed) roleNode(p *Placement, role string, s Role, near *Node) (*Node, error) {
	if s.node != "" {
		return t.Node(s.node), nil // it exists, or the file was refused
	}
	side := t.ClientSide
	if s.side == serverHost.side {
		side = t.ServerSide
	}
	for _, name := range side {
		if n := t.Node(name); n != nil && n.Kind == s.kind && (!s.own || n.Of == near.Name) {
			return n, nil
		}
	}
	what := "a " + s.kind
	if s.own {
		what = "the DPU in the host " + near.Name
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
var PlacementName = field.Text("the name of a placement: "+nameRule,
	func(s string) (string, bool) { return s, isName(s) })

var placementKeys = []Key{
	{
		Name: "clients", Help: "Nodes of the clients. The first client stores the keys.",
		Allowed: "one or more of the nodes", Default: "required", Example: "[hostA, hostB]",
	},
	{
		Name: "server", Help: "Node of the server, or of its engine if there is a store.",
		Allowed: "one of the nodes", Default: "required", Example: "dpuB",
	},
	{
		Name: "store", Help: "Node of the store half of a split server.",
		Allowed: "one of the nodes", Default: "the server is whole", Example: "hostB",
	},
	{
		Name: "proxy", Help: "Node of the network half of the only client.",
		Allowed: "one of the nodes", Default: "the client is whole", Example: "dpuA",
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
		if slices.ContainsFunc(slices.Concat(studied, halves),
			func(s Placement) bool { return s.Name == p.Name }) {
			r.Fault(own.At, "placements: found %s, allowed: a name that is not dpukv's", p.Name)
		}
		for _, field := range r.Mapping("placement "+p.Name, own.Value) {
			switch field.Key {
			case "clients":
				for _, name := range r.words(field) {
					p.clients = append(p.clients, Role{node: name})
				}
			case "server":
				p.server.node = r.text(field)
			case "store":
				p.store = &Role{node: r.text(field)}
			case "proxy":
				p.proxy = &Role{node: r.text(field)}
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
		if p.proxy != nil && len(p.clients) > 1 {
			r.Fault(where, "placement %s: found a proxy and %d clients, allowed: one client",
				p.Name, len(p.clients))
		}
		for _, s := range p.roles() {
			if s.node != "" && r.t.Node(s.node) == nil {
				r.Fault(where, "placement %s: found %s, allowed: the nodes (%s)", p.Name, s.node,
					strings.Join(r.t.Names(), ", "))
			}
		}
	}
}

// roles returns all roles.
func (p *Placement) roles() []Role {
	all := append(slices.Clone(p.clients), p.server)
	for _, half := range []*Role{p.store, p.proxy} {
		if half != nil {
			all = append(all, *half)
		}
	}
	return all
}

// ownTexts returns the testbed's own placements in the form of a file.
func (t *Testbed) ownTexts() []string {
	var texts []string
	for _, p := range t.Own {
		var clients []string
		for _, s := range p.clients {
			clients = append(clients, s.node)
		}
		rest := ""
		if p.store != nil {
			rest += ", store: " + p.store.node
		}
		if p.proxy != nil {
			rest += ", proxy: " + p.proxy.node
		}
		texts = append(texts,
			fmt.Sprintf("%s: {clients: [%s], server: %s%s}", p.Name, strings.Join(clients, ", "),
				p.server.node, rest))
	}
	return texts
}
