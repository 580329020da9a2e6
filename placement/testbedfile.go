package placement

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/boundedyaml"
	"dpukv/internal/infile"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"

	"github.com/goccy/go-yaml/ast"
)

var testbedKeys = []string{"nodes", "client_side", "server_side", "placements", "binaries"}

// LoadTestbed reads a testbed file; "" is [Local]. It waits for what a pipe brings until ctx is
// done.
func LoadTestbed(ctx context.Context, file string) (Testbed, error) {
	if file == "" {
		return Local(), nil
	}
	data, err := infile.ReadInput(ctx, file, boundedyaml.MaxBytes)
	if err != nil {
		return Testbed{}, err
	}
	return ParseTestbed(file, data)
}

// ParseTestbed reads a testbed file. Its errors are one line for each mistake, each with its place.
func ParseTestbed(name string, data []byte) (Testbed, error) {
	r := testbedReader{strictFile{name: name}, Testbed{Name: name, where: map[string]at{}}, map[string]at{}}
	for _, e := range r.parse(data) {
		switch e.key {
		case "nodes":
			for _, node := range r.mapping("nodes", e.value) {
				r.node(node)
			}
		case "client_side":
			r.t.ClientSide = r.words(e)
		case "server_side":
			r.t.ServerSide = r.words(e)
		case "placements":
			r.readPlacements(e)
		case "binaries":
			r.t.Binaries = r.text(e)
		default:
			r.unknown(e, testbedKeys)
		}
	}
	if len(r.faults) == 0 {
		r.check()
	}
	if len(r.faults) > 0 {
		return Testbed{}, r.err()
	}
	return r.t, nil
}

type testbedReader struct {
	strictFile
	t     Testbed
	sides map[string]at // where client_side and server_side name their nodes
}

func (r *testbedReader) node(e entry) {
	n := Node{Kind: kindHost, RDMA: RDMA{Options: provider.Defaults}}
	n.Name, n.Via = e.key, launch.Local
	r.t.where[n.Name] = e.at
	if !isName(n.Name) {
		r.fault(e.at, "nodes: found the name %q, allowed: %s", n.Name, nameRule)
	}
	said := map[string]at{}
	for _, field := range r.mapping("node "+n.Name, e.value) {
		i := slices.IndexFunc(nodeKeys, func(k nodeKey) bool { return k.name == field.key })
		if i < 0 {
			r.unknown(field, viaKeys(n.Via))
			continue
		}
		said[field.key] = field.at
		nodeKeys[i].read(r, &n, field)
	}
	for i := range nodeKeys {
		k := &nodeKeys[i]
		if where, ok := said[k.name]; ok && k.via != "" && k.via != n.Via {
			r.fault(where, "node %s: found %s with via: %s, allowed: with via: %s", n.Name, k.name, n.Via, k.via)
		}
	}
	r.t.Nodes = append(r.t.Nodes, n.withDefaults())
}

// withDefaults fills in what follows from what the file says.
func (n Node) withDefaults() Node {
	switch {
	case n.Via == launch.Local && n.Address == "":
		n.Address = loopback
	case n.Via == launch.SSH && n.Host == "":
		n.Host = n.Address
	case n.made() && n.Profile == "" && n.Kind == kindHost:
		n.Profile = emulate.NoProfile
	case n.made() && n.Profile == "":
		n.Profile = n.Generation
	case n.made() && n.Generation == "" && slices.Contains(generations, n.Profile):
		n.Generation = n.Profile
	}
	return n
}

var anyWord = codec[string]{
	parse: func(s string) (string, error) {
		if s == "" {
			return "", errNotAllowed
		}
		return s, nil
	},
	format:  func(s string) string { return s },
	allowed: "a word",
}

func (r *testbedReader) word(e entry, allowed ...string) string {
	w, _, _ := readValue(&r.strictFile, e.key, e.value, word(allowed))
	return w
}

func (r *testbedReader) text(e entry) string {
	s, _, _ := readValue(&r.strictFile, e.key, e.value, anyWord)
	return s
}

// words takes one word or a list of them.
func (r *testbedReader) words(e entry) []string {
	nodes := []ast.Node{e.value}
	if list, ok := e.value.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	r.sides[e.key] = r.place(e.value)
	var all []string
	for _, n := range nodes {
		if s, where, ok := readValue(&r.strictFile, e.key, n, anyWord); ok {
			if slices.Contains(all, s) {
				r.fault(where, "%s: found %s a second time, allowed: each node once", e.key, s)
			}
			all = append(all, s)
		}
	}
	return all
}

// check holds the nodes against each other.
func (r *testbedReader) check() {
	r.checkSide("client_side", r.t.ClientSide)
	r.checkSide("server_side", r.t.ServerSide)
	for i := range r.t.Nodes {
		n := &r.t.Nodes[i]
		if n.made() {
			r.checkMade(n)
		}
		where := r.t.where[n.Name]
		switch host := r.t.node(n.Of); {
		case n.Kind == kindHost && (n.Of != "" || n.Generation != ""):
			r.fault(where, "node %s: found of or generation on a host, allowed: on a dpu", n.Name)
		case n.Kind == kindDPU && (host == nil || host.Kind != kindHost):
			r.fault(where, "node %s: found of: %q, allowed: the node of the host that this DPU sits in", n.Name, n.Of)
		case n.Kind == kindDPU && n.Via == launch.Local && host.Via == launch.Local:
			r.fault(where, "node %s: found a DPU and its host %s both via: local, allowed: one of them, since local is this machine and a DPU is a machine of its own",
				n.Name, n.Of)
		case n.Via != launch.Local && !n.made() && n.Address == "":
			r.fault(where, "node %s: found no address, allowed: with via: %s, one that the other nodes reach", n.Name, n.Via)
		}
	}
	r.checkPlacements()
}

// checkMade holds what only concerns machines that the sweep makes.
func (r *testbedReader) checkMade(n *Node) {
	where, host := r.t.where[n.Name], r.t.node(n.Of)
	switch {
	case n.Address != "":
		r.fault(where, "node %s: found an address, allowed: none, since the sweep makes this machine (via: netns without namespace) and gives it one", n.Name)
	case n.Kind == kindDPU && host != nil && !host.made():
		r.fault(where, "node %s: found its host %s via: %s, allowed: via: netns without namespace, like the DPU, which the sweep makes", n.Name, n.Of, host.Via)
	case n.Kind == kindDPU && n.Profile == "":
		r.fault(where, "node %s: found no profile, allowed: %s, none, or the path of one; it models the DPU's cores", n.Name, strings.Join(generations, ", "))
	}
	if n.Profile != "" && n.Profile != emulate.NoProfile {
		if _, err := emulate.LoadProfile(n.Profile); err != nil {
			r.fault(where, "node %s: %v", n.Name, err)
		}
	}
}

func (r *testbedReader) checkSide(key string, names []string) {
	if len(names) == 0 {
		r.fault(cmp.Or(r.sides[key], at{r.name, 1, 1}), "%s: found nothing, allowed: one or more of the nodes", key)
	}
	for _, name := range names {
		if r.t.node(name) == nil {
			r.fault(r.sides[key], "%s: found %s, allowed: one or more of the nodes (%s)", key, name, strings.Join(r.t.names(), ", "))
		}
	}
}

// Marshal writes the testbed as a file.
func (t *Testbed) Marshal() []byte {
	var b bytes.Buffer
	b.WriteString("nodes:\n")
	for i := range t.Nodes {
		n := &t.Nodes[i]
		fmt.Fprintf(&b, "  %s: {%s}\n", n.Name, strings.Join(n.fields(), ", "))
	}
	fmt.Fprintf(&b, "client_side: [%s]\n", strings.Join(t.ClientSide, ", "))
	fmt.Fprintf(&b, "server_side: [%s]\n", strings.Join(t.ServerSide, ", "))
	if t.Own != nil {
		fmt.Fprintf(&b, "placements:\n  %s\n", strings.Join(t.ownTexts(), "\n  "))
	}
	if t.Binaries != "" {
		fmt.Fprintf(&b, "binaries: %s\n", plain(t.Binaries))
	}
	return b.Bytes()
}
