package placement

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/cpu"

	"github.com/goccy/go-yaml/ast"
)

var (
	testbedKeys = []string{"nodes", "client_side", "server_side"}
	nodeKeys    = []string{"kind", "of", "generation", "via", "address", "cpus", "rdma"}
	rdmaKeys    = []string{"device", "gid_index"}
)

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
	n := Node{Name: e.key, Kind: kindHost, Via: viaLocal}
	r.t.where[n.Name] = e.at
	for _, field := range r.mapping("node "+n.Name, e.value) {
		switch field.key {
		case "kind":
			n.Kind = r.word(field, kinds...)
		case "of":
			n.Of = r.text(field)
		case "generation":
			n.Generation = r.word(field, generations...)
		case "via":
			n.Via = r.word(field, vias...)
		case "address":
			n.Address = r.text(field)
		case "cpus":
			n.CPUs = r.cpus(field)
		case "rdma":
			n.RDMA = r.rdma(field)
		default:
			r.unknown(field, nodeKeys)
		}
	}
	if n.Via == viaLocal && n.Address == "" {
		n.Address = loopback
	}
	r.t.Nodes = append(r.t.Nodes, n)
}

func (r *testbedReader) rdma(e entry) RDMA {
	var d RDMA
	for _, field := range r.mapping("rdma", e.value) {
		switch field.key {
		case "device":
			d.Device = r.text(field)
		case "gid_index":
			d.GIDIndex, _, _ = readValue(&r.strictFile, field.key, field.value, whole(0, 255))
		default:
			r.unknown(field, rdmaKeys)
		}
	}
	return d
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

func (r *testbedReader) cpus(e entry) []int {
	text := r.text(e)
	if text == "" {
		return nil
	}
	cpus, err := cpu.ParseList(text)
	if err != nil {
		r.fault(r.place(e.value), "cpus: %v", err)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

// check holds the nodes against each other.
func (r *testbedReader) check() {
	r.checkSide("client_side", r.t.ClientSide)
	r.checkSide("server_side", r.t.ServerSide)
	for i := range r.t.Nodes {
		n := &r.t.Nodes[i]
		where := r.t.where[n.Name]
		switch host := r.t.node(n.Of); {
		case n.Kind == kindHost && (n.Of != "" || n.Generation != ""):
			r.fault(where, "node %s: found of or generation on a host, allowed: on a dpu", n.Name)
		case n.Kind == kindDPU && (host == nil || host.Kind != kindHost):
			r.fault(where, "node %s: found of: %q, allowed: the node of the host that this DPU sits in", n.Name, n.Of)
		case n.Kind == kindDPU && n.Via == viaLocal && host.Via == viaLocal:
			r.fault(where, "node %s: found a DPU and its host %s both via: local, allowed: one of them, since local is this machine and a DPU is a machine of its own",
				n.Name, n.Of)
		case n.Via != viaLocal && n.Address == "":
			r.fault(where, "node %s: found no address, allowed: with via: %s, one that the other nodes reach", n.Name, n.Via)
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

func (t *Testbed) names() []string {
	var names []string
	for i := range t.Nodes {
		names = append(names, t.Nodes[i].Name)
	}
	return names
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
	return b.Bytes()
}

// fields are the node's keys and values, as in a file.
func (n *Node) fields() []string {
	var fields []string
	add := func(key, value string) {
		if value != "" {
			fields = append(fields, key+": "+value)
		}
	}
	add("kind", n.Kind)
	add("of", n.Of)
	add("generation", n.Generation)
	add("via", n.Via)
	add("address", n.Address)
	if n.CPUs != nil {
		add("cpus", strconv.Quote(cpu.FormatList(n.CPUs)))
	}
	if n.RDMA != (RDMA{}) {
		add("rdma", fmt.Sprintf("{device: %s, gid_index: %d}", n.RDMA.Device, n.RDMA.GIDIndex))
	}
	return fields
}
