package testbed

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dpukv/internal/field"
	"dpukv/internal/infile"
	"dpukv/internal/ports"
	"dpukv/internal/strictyaml"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

var testbedKeys = []Key{
	{
		Name: "nodes", Help: "Machines of the testbed, by name.",
		Allowed: "a mapping of names to nodes: see below", Default: "required",
		Example: "{hostA: {via: local}}",
	},
	{
		Name: "client_side", Help: "Nodes for clients: a host, its DPU, or both.",
		Allowed: "one or more of the nodes", Default: "required", Example: "[hostA, dpuA]",
	},
	{
		Name: "server_side", Help: "Nodes for servers: a host, its DPU, or both.",
		Allowed: "one or more of the nodes", Default: "required", Example: "[hostB, dpuB]",
	},
	{
		Name: "placements", Help: "Placements beside those of the study, by name.",
		Allowed: "a mapping of names to placements: see below", Default: "none",
		Example: "{BOTH-SD: {clients: [hostA, hostB], server: dpuB}}",
	},
	{
		Name: "ports", Help: "TCP ports for the servers on every node, behind a firewall.",
		Allowed: portRange.Allowed, Default: "any free port", Example: "7000-7100",
	},
	{
		Name: "binaries", Help: "Folder with dpukv for other architectures.", Allowed: "a path",
		Default: "the folder of the running binary", Example: "/opt/dpukv",
	},
}

// Load reads a testbed file; "" is [Local]. It waits for the content of a pipe until ctx is done.
func Load(ctx context.Context, file string) (Testbed, error) {
	if file == "" {
		return Local(), nil
	}
	data, err := infile.ReadInput(ctx, file, strictyaml.MaxBytes)
	if err != nil {
		return Testbed{}, err
	}
	return Parse(file, data)
}

// Parse reads a testbed file. Its errors are one line for each mistake, each with its place.
func Parse(name string, data []byte) (Testbed, error) {
	r := testbedReader{
		File:  strictyaml.File{Name: name},
		t:     Testbed{Name: name, where: map[string]strictyaml.Position{}},
		sides: map[string]strictyaml.Position{},
	}
	for _, e := range r.Parse(data) {
		switch e.Key {
		case "nodes":
			for _, node := range r.Mapping("nodes", e.Value) {
				r.node(node)
			}
		case "client_side":
			r.t.ClientSide = r.words(e)
		case "server_side":
			r.t.ServerSide = r.words(e)
		case "placements":
			r.readPlacements(e)
		case "ports":
			r.open = r.ports(e)
		case "binaries":
			r.t.Binaries = r.text(e)
		default:
			r.Unknown(e, keyNames(testbedKeys))
		}
	}
	if len(r.Faults) == 0 {
		r.check()
	}
	if len(r.Faults) > 0 {
		return Testbed{}, r.Err()
	}
	return r.t, nil
}

type testbedReader struct {
	strictyaml.File
	t     Testbed
	sides map[string]strictyaml.Position // where client_side and server_side name their nodes
	open  ports.Range                    // of the nodes that name none
}

func (r *testbedReader) node(e strictyaml.Entry) {
	n := Node{Kind: KindHost, RDMA: RDMA{Options: provider.Defaults}}
	n.Name, n.Via = e.Key, launch.Local
	r.t.where[n.Name] = e.At
	if !isName(n.Name) {
		r.Fault(e.At, "nodes: found the name %q, allowed: %s", n.Name, nameRule)
	}
	said := map[string]strictyaml.Position{}
	for _, field := range r.Mapping("node "+n.Name, e.Value) {
		i := slices.IndexFunc(nodeKeys, func(k nodeKey) bool { return k.Name == field.Key })
		if i < 0 {
			r.Unknown(field, viaKeys(n.Via))
			continue
		}
		said[field.Key] = field.At
		nodeKeys[i].read(r, &n, field)
	}
	for i := range nodeKeys {
		k := &nodeKeys[i]
		if where, ok := said[k.Name]; ok && k.Via != "" && k.Via != n.Via {
			r.Fault(where, "node %s: found %s with via: %s, allowed: with via: %s", n.Name, k.Name,
				n.Via, k.Via)
		}
	}
	r.t.Nodes = append(r.t.Nodes, n.withDefaults())
}

var anyWord = field.Text("a word", func(s string) (string, bool) { return s, s != "" })

func (r *testbedReader) word(e strictyaml.Entry, allowed ...string) string {
	w, _, _ := strictyaml.ReadValue(&r.File, e.Key, e.Value, field.Word(allowed))
	return w
}

func (r *testbedReader) text(e strictyaml.Entry) string {
	s, _, _ := strictyaml.ReadValue(&r.File, e.Key, e.Value, anyWord)
	return s
}

// words reads one word or a list of words.
func (r *testbedReader) words(e strictyaml.Entry) []string {
	nodes := []ast.Node{e.Value}
	if list, ok := e.Value.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	r.sides[e.Key] = r.Place(e.Value)
	var all []string
	for _, n := range nodes {
		if s, where, ok := strictyaml.ReadValue(&r.File, e.Key, n, anyWord); ok {
			if slices.Contains(all, s) {
				r.Fault(where, "%s: found %s a second time, allowed: each node once", e.Key, s)
			}
			all = append(all, s)
		}
	}
	return all
}

// check checks the nodes against each other.
func (r *testbedReader) check() {
	r.checkSide("client_side", r.t.ClientSide)
	r.checkSide("server_side", r.t.ServerSide)
	for i := range r.t.Nodes {
		n := &r.t.Nodes[i]
		if n.Ports.Any() {
			n.Ports = r.open
		}
		if n.Emulated() {
			r.checkMade(n)
		}
		where := r.t.where[n.Name]
		switch host := r.t.Node(n.Of); {
		case n.Kind == KindHost && (n.Of != "" || n.Generation != ""):
			r.Fault(where, "node %s: found of or generation on a host, allowed: on a dpu", n.Name)
		case n.Kind == KindDPU && (host == nil || host.Kind != KindHost):
			r.Fault(where, "node %s: found of: %q, allowed: the node of the host that this DPU "+
				"sits in", n.Name, n.Of)
		case n.Kind == KindDPU && n.Via == launch.Local && host.Via == launch.Local:
			r.Fault(where, "node %s: found a DPU and its host %s both via: local, allowed: one "+
				"of them, since local is this machine and a DPU is a machine of its own",
				n.Name, n.Of)
		case n.Via != launch.Local && !n.Emulated() && n.Address == "":
			r.Fault(where, "node %s: found no address, allowed: with via: %s, one that the other "+
				"nodes reach", n.Name, n.Via)
		}
	}
	r.checkPlacements()
	r.t.setHostKeyAliases()
}

// checkMade checks the keys of emulated machines.
func (r *testbedReader) checkMade(n *Node) {
	where, host := r.t.where[n.Name], r.t.Node(n.Of)
	switch {
	case n.Modes != nil:
		r.Fault(where, "node %s: found modes, allowed: none, since the sweep makes this machine "+
			"(via: netns without namespace), and it has no card", n.Name)
	case n.Address != "":
		r.Fault(where, "node %s: found an address, allowed: none, since the sweep makes this "+
			"machine (via: netns without namespace) and gives it one", n.Name)
	case n.Kind == KindDPU && host != nil && !host.Emulated():
		r.Fault(where, "node %s: found its host %s via: %s, allowed: via: netns without "+
			"namespace, like the DPU, which the sweep makes", n.Name, n.Of, host.Via)
	case n.Kind == KindDPU && n.Profile == "":
		r.Fault(where, "node %s: found no profile, allowed: %s, none, or the path of one; it "+
			"models the DPU's cores", n.Name, strings.Join(generations, ", "))
	}
	if n.Profile != "" && n.Profile != emulate.NoProfile {
		if _, err := emulate.LoadProfile(n.Profile); err != nil {
			r.Fault(where, "node %s: %v", n.Name, err)
		}
	}
}

func (r *testbedReader) checkSide(key string, names []string) {
	if len(names) == 0 {
		r.Fault(cmp.Or(r.sides[key], r.Begin()),
			"%s: found nothing, allowed: one or more of the nodes", key)
	}
	for _, name := range names {
		if r.t.Node(name) == nil {
			r.Fault(r.sides[key], "%s: found %s, allowed: one or more of the nodes (%s)", key, name,
				strings.Join(r.t.Names(), ", "))
		}
	}
}
