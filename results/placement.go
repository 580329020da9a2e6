package results

import (
	"slices"
	"strings"
)

// knownPlacements are the study's placements, and those of halves, in the order in which legends
// and tables list them. Placements of a testbed's own follow them, by name.
var knownPlacements = []string{
	"CH-SH", "CD-SH", "CDH-SH", "CH-SD", "CD-SD", "L-CD-SH",
	"CH-ED-SH", "CH-PD-SH", "CH-PD-ED-SH", "CH-EH-SD",
}

var placement = &Dimension{
	name: "placement", title: "placement",
	text:  func(p *Point) string { return p.Placement },
	shown: placementTitle,
	label: placementTitle,
	rank:  func(name string) int { return rank(knownPlacements, name) },
}

// machine tells the same placement on other machines apart. Points of older builds have no value.
var machine = &Dimension{
	name: "machine", title: "machine",
	text:  func(p *Point) string { return p.Machine },
	shown: machineName,
	label: func(p *Point) string {
		if p.Machine == "" {
			return ""
		}
		return "on " + machineName(p)
	},
}

// machineDigits are the digits of the digest that tell machines with the same host names apart.
const machineDigits = 4

// machineName joins the names of the hosts and the start of the digest: "alice + bob 3f9a".
func machineName(p *Point) string {
	name := p.Machine[:min(machineDigits, len(p.Machine))]
	if len(p.Hosts) > 0 {
		name = strings.Join(p.Hosts, " + ") + " " + name
	}
	return name
}

// severalMachines reports whether points with the same placement and submode are of several
// machines. A failed point may not know its own.
func severalMachines(points []*Point) bool {
	first := map[[2]string]string{}
	for _, p := range points {
		if p.Status == StatusFailed {
			continue
		}
		way := [2]string{p.Placement, p.Submode}
		if of, seen := first[way]; seen && of != p.Machine {
			return true
		}
		first[way] = p.Machine
	}
	return false
}

// UnderQuota reports whether an emulated machine with a CPU quota has a part. Such a machine
// stands still when its quota is used up, until the kernel renews the quota. That takes
// milliseconds, which no core of a DPU would take.
func (p *Point) UnderQuota() bool {
	limited := func(n Node) bool { return n.Profile != "" && n.Profile != "none" }
	return limited(p.ServerNode) ||
		slices.ContainsFunc(p.Clients, func(c ClientShare) bool { return limited(c.Node) }) ||
		slices.ContainsFunc(p.Parts, func(part Part) bool { return limited(part.Node) })
}

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
