package placement

import (
	"fmt"
	"slices"
	"strings"
)

// Testbed names the machines and which of them a placement may use on which side.
type Testbed struct {
	Name       string // of its file, or "local"
	Nodes      []Node
	ClientSide []string // node names: a host, its DPU, or both
	ServerSide []string

	where map[string]at // the nodes' places in the file
}

// Node is a machine, or a share of one, that runs a server or a client.
type Node struct {
	Name       string
	Kind       string // "host", "dpu"
	Of         string // the host a DPU sits in
	Generation string // "bf1", "bf2", "bf3"
	Via        string // how processes are started there
	Address    string // where the others reach its server
	CPUs       []int  // to run on; nil: chosen
	RDMA       RDMA
}

// RDMA is the device a node's verbs would use.
type RDMA struct {
	Device   string
	GIDIndex int
}

// What a testbed file may say, and what of it runs today.
const (
	kindHost, kindDPU = "host", "dpu"
	viaLocal          = "local"
)

var (
	kinds       = []string{kindHost, kindDPU}
	generations = []string{"bf1", "bf2", "bf3"}
	vias        = []string{viaLocal, "netns", "ssh", "slurm", "kubectl"}
)

// loopback is where a server on this machine listens if its node has no address.
const loopback = "127.0.0.1"

// Local is the testbed of one machine without a DPU: it plays both hosts.
func Local() Testbed {
	return Testbed{
		Name: "local",
		Nodes: []Node{
			{Name: "client", Kind: kindHost, Via: viaLocal, Address: loopback},
			{Name: "server", Kind: kindHost, Via: viaLocal, Address: loopback},
		},
		ClientSide: []string{"client"}, ServerSide: []string{"server"},
	}
}

func (t *Testbed) node(name string) *Node {
	i := slices.IndexFunc(t.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Nodes[i]
}

func (t *Testbed) place(node string) string {
	if p, ok := t.where[node]; ok {
		return p.String() + ": "
	}
	return ""
}

// pair is where a placement runs the two ends.
type pair struct{ client, server Node }

// pairFor finds the nodes of a placement (client and server each on a host or a DPU).
func (t *Testbed) pairFor(placement string) (pair, error) {
	var p pair
	client, server, ok := strings.Cut(placement, "-S")
	if !ok {
		return p, fmt.Errorf("%s is no placement", placement)
	}
	if client == "CDH" || strings.HasPrefix(client, "L-") {
		return p, fmt.Errorf("%s is not built yet; works: %s", placement, strings.Join(runnable, ", "))
	}
	var err error
	if p.client, err = t.onSide(placement, "client", t.ClientSide, client == "CD"); err != nil {
		return p, err
	}
	p.server, err = t.onSide(placement, "server", t.ServerSide, server == "D")
	return p, err
}

// onSide is the host or the DPU among a side's nodes.
func (t *Testbed) onSide(placement, role string, side []string, dpu bool) (Node, error) {
	kind := kindHost
	if dpu {
		kind = kindDPU
	}
	for _, name := range side {
		if n := t.node(name); n != nil && n.Kind == kind {
			return *n, nil
		}
	}
	return Node{}, fmt.Errorf("%s runs the %s on a %s, and the %s side of testbed %s has none (only %s): add one to the testbed, or choose another placement",
		placement, role, kind, role, t.Name, strings.Join(side, ", "))
}

// runnable are the placements with one client, which is all a sweep runs today.
var runnable = []string{"CH-SH", "CD-SH", "CH-SD", "CD-SD"}

// differences names what is otherwise in b than in t, with both.
func (t *Testbed) differences(b *Testbed) []string {
	var diff []string
	note := func(what, there, here string) {
		if there != here {
			diff = append(diff, fmt.Sprintf("%s is [%s] there, [%s] here", what, there, here))
		}
	}
	note("nodes", strings.Join(t.names(), ", "), strings.Join(b.names(), ", "))
	for i := range t.Nodes {
		if other := b.node(t.Nodes[i].Name); other != nil {
			note("node "+other.Name, strings.Join(t.Nodes[i].fields(), ", "), strings.Join(other.fields(), ", "))
		}
	}
	note("client_side", strings.Join(t.ClientSide, ", "), strings.Join(b.ClientSide, ", "))
	note("server_side", strings.Join(t.ServerSide, ", "), strings.Join(b.ServerSide, ", "))
	return diff
}
