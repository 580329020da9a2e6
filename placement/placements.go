package placement

import (
	"fmt"
	"slices"
	"strings"
)

// Placement says where a point's processes run: by role, as the study's do, or by the names of nodes, as a testbed's own.
type Placement struct {
	Name    string
	clients []seat // the first one stores the keys
	server  seat
}

// seat is one process's place.
type seat struct {
	node string // by name, or else:
	side string // the key of the testbed file that lists the candidates
	kind string // of the node
	own  bool   // of DPUs, the one in the server's host
}

var (
	clientHost = seat{side: "client_side", kind: kindHost}
	clientDPU  = seat{side: "client_side", kind: kindDPU}
	serverHost = seat{side: "server_side", kind: kindHost}
	serverDPU  = seat{side: "server_side", kind: kindDPU}
	localDPU   = seat{side: "server_side", kind: kindDPU, own: true}
)

// studied are the study's placements (its Table 2 and Figure 7a).
var studied = []Placement{
	{"CH-SH", []seat{clientHost}, serverHost},
	{"CD-SH", []seat{clientDPU}, serverHost},
	{"CDH-SH", []seat{clientHost, clientDPU}, serverHost},
	{"CH-SD", []seat{clientHost}, serverDPU},
	{"CD-SD", []seat{clientDPU}, serverDPU},
	{"L-CD-SH", []seat{localDPU}, serverHost},
}

// cast is the nodes of a placement.
type cast struct {
	clients []Node
	server  Node
}

// all are the nodes, the server's first; the same one twice if it has two parts.
func (c *cast) all() []*Node {
	nodes := []*Node{&c.server}
	for i := range c.clients {
		nodes = append(nodes, &c.clients[i])
	}
	return nodes
}

// placements are those that the testbed knows: the study's, then its own.
func (t *Testbed) placements() []Placement { return slices.Concat(studied, t.Own) }

// cast finds the nodes of a placement.
func (t *Testbed) cast(name string) (cast, error) {
	all := t.placements()
	i := slices.IndexFunc(all, func(p Placement) bool { return p.Name == name })
	if i < 0 {
		var known []string
		for _, p := range all {
			known = append(known, p.Name)
		}
		return cast{}, fmt.Errorf("found %s, allowed: %s (a testbed file may have its own: placements: {%s: {clients: [NODE], server: NODE}})",
			name, strings.Join(known, ", "), name)
	}
	p := &all[i]
	server, err := t.seated(p, "server", p.server, nil)
	if err != nil {
		return cast{}, err
	}
	c := cast{server: *server}
	for _, s := range p.clients {
		client, err := t.seated(p, "client", s, server)
		if err != nil {
			return cast{}, err
		}
		c.clients = append(c.clients, *client)
	}
	return c, nil
}

// seated is the node for a seat; server is nil for the server's own.
func (t *Testbed) seated(p *Placement, role string, s seat, server *Node) (*Node, error) {
	if s.node != "" {
		return t.node(s.node), nil // there, or the file was refused
	}
	side := t.ClientSide
	if s.side == serverHost.side {
		side = t.ServerSide
	}
	for _, name := range side {
		if n := t.node(name); n != nil && n.Kind == s.kind && (!s.own || n.Of == server.Name) {
			return n, nil
		}
	}
	what := "a " + s.kind
	if s.own {
		what = "the DPU in the server's host " + server.Name
	}
	return nil, fmt.Errorf("%s runs the %s on %s, and %s of testbed %s has none (only %s): add one to the testbed, or choose another placement",
		p.Name, role, what, s.side, t.Name, strings.Join(side, ", "))
}

// isName reports whether s can name a node or a placement: names stand in files, file names and commands.
func isName(s string) bool {
	const others = "+-_."
	fits := len(s) > 0 && len(s) <= 40 && !strings.ContainsRune(others, rune(s[0]))
	for _, r := range s {
		fits = fits && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune(others, r))
	}
	return fits
}

const nameRule = "up to 40 letters, digits and + - _ . with a letter or digit first"

var placementName = codec[string]{
	parse: func(s string) (string, error) {
		if !isName(s) {
			return "", errNotAllowed
		}
		return s, nil
	},
	format:  func(s string) string { return s },
	allowed: "the name of a placement: " + nameRule,
}

// readPlacements takes the testbed's own placements from its file.
func (r *testbedReader) readPlacements(e entry) {
	for _, own := range r.mapping("placements", e.value) {
		p := Placement{Name: own.key}
		r.t.where["placement "+p.Name] = own.at
		if !isName(p.Name) {
			r.fault(own.at, "placements: found %q, allowed: %s", p.Name, placementName.allowed)
		}
		if slices.ContainsFunc(studied, func(s Placement) bool { return s.Name == p.Name }) {
			r.fault(own.at, "placements: found %s, allowed: a name that is not the study's", p.Name)
		}
		for _, field := range r.mapping("placement "+p.Name, own.value) {
			switch field.key {
			case "clients":
				for _, name := range r.words(field) {
					p.clients = append(p.clients, seat{node: name})
				}
			case "server":
				p.server.node = r.text(field)
			default:
				r.unknown(field, []string{"clients", "server"})
			}
		}
		r.t.Own = append(r.t.Own, p)
	}
}

// checkPlacements holds the own placements against the nodes.
func (r *testbedReader) checkPlacements() {
	for _, p := range r.t.Own {
		where := r.t.where["placement "+p.Name]
		if len(p.clients) == 0 || p.server.node == "" {
			r.fault(where, "placement %s: found no clients or no server, allowed: clients: [NODE, …], server: NODE", p.Name)
		}
		for _, s := range append(slices.Clone(p.clients), p.server) {
			if s.node != "" && r.t.node(s.node) == nil {
				r.fault(where, "placement %s: found %s, allowed: the nodes (%s)", p.Name, s.node, strings.Join(r.t.names(), ", "))
			}
		}
	}
}

// ownTexts are the own placements as in a file.
func (t *Testbed) ownTexts() []string {
	var texts []string
	for _, p := range t.Own {
		var clients []string
		for _, s := range p.clients {
			clients = append(clients, s.node)
		}
		texts = append(texts, fmt.Sprintf("%s: {clients: [%s], server: %s}", p.Name, strings.Join(clients, ", "), p.server.node))
	}
	return texts
}
