package results

import "strings"

// attachedPlacement is the placement of points of dpukv load, which places no server.
const attachedPlacement = "attached"

// IsAttached reports whether the server ran already, so that dpukv neither placed nor started it.
func (p *Point) IsAttached() bool { return p.Attached || p.Placement == attachedPlacement }

// placementTitle names the placement for people. A server that ran already has none: its address
// and the nodes of the clients say what is known.
func placementTitle(p *Point) string {
	if !p.IsAttached() {
		return p.Placement
	}
	title := "attached"
	if p.ServerAddr != "" { // else the point failed before
		title += " to " + p.ServerAddr
	}
	var nodes []string
	for i := range p.Clients {
		nodes = append(nodes, p.Clients[i].Node.Node)
	}
	if nodes != nil {
		title += " from " + strings.Join(nodes, " + ")
	}
	return title
}
