package testbed

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"dpukv/internal/infile"
	"dpukv/internal/strictyaml"
	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/verbs/provider"
)

// Testbed names the machines, and the ones that a placement may use on each side.
type Testbed struct {
	Name       string // of its file, or "local"
	Nodes      []Node
	ClientSide []string // node names: a host, its DPU, or both
	ServerSide []string
	Own        []Placement // placements beside the study's
	Binaries   string      // a folder with dpukv for other architectures; "": that of this binary

	where map[string]strictyaml.Position // the nodes' and placements' places in the file
}

// Loopback is the address of a server on this machine if its node has no address.
const Loopback = "127.0.0.1"

// Local returns the testbed of one machine without a DPU: the machine plays both hosts.
func Local() Testbed {
	end := func(name string) Node {
		return Node{
			Node: launch.Node{Name: name, Via: launch.Local}, Kind: KindHost,
			Address: Loopback, RDMA: RDMA{Options: provider.Defaults},
		}
	}
	return Testbed{
		Name: "local", Nodes: []Node{end("client"), end("server")},
		ClientSide: []string{"client"}, ServerSide: []string{"server"},
	}
}

// EmulatedText names what emulates the machines, in words that stand beside every result. It is ""
// if no machine is emulated.
func (t *Testbed) EmulatedText() string {
	var machines []string
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch {
		case !n.Emulated():
		case n.Profile == emulate.NoProfile:
			machines = append(machines, n.Name+" unmodelled")
		default:
			machines = append(machines, n.Name+" as "+n.Profile)
		}
	}
	if machines == nil {
		return ThisGuest()
	}
	return "network namespaces of " + cmp.Or(ThisGuest(), "one machine") + ", " +
		strings.Join(machines, ", ")
}

// Node finds a node by its name; nil: there is none.
func (t *Testbed) Node(name string) *Node {
	return t.first(func(n Node) bool { return n.Name == name })
}

// DPUOf returns the DPU in a host; nil: there is none.
func (t *Testbed) DPUOf(host string) *Node {
	return t.first(func(n Node) bool { return n.Of == host })
}

func (t *Testbed) first(is func(Node) bool) *Node {
	i := slices.IndexFunc(t.Nodes, is)
	if i < 0 {
		return nil
	}
	return &t.Nodes[i]
}

// Emulate gives the emulated nodes the addresses of their machines.
func (t *Testbed) Emulate(address func(machine string) string) {
	t.Nodes = slices.Clone(t.Nodes)
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Emulated() {
			n.Address = address(n.Name)
		}
	}
}

// Names returns the names of all nodes.
func (t *Testbed) Names() []string {
	names := make([]string, len(t.Nodes))
	for i := range t.Nodes {
		names[i] = t.Nodes[i].Name
	}
	return names
}

// Place returns the place in the file of a node, or of "placement NAME", as the begin of an error.
// It is "" if the testbed has no file.
func (t *Testbed) Place(name string) string {
	if p, ok := t.where[name]; ok {
		return p.String() + ": "
	}
	return ""
}

// Differences names the values that differ between t and b, with both.
func (t *Testbed) Differences(b *Testbed) []string {
	var diff []string
	note := func(what, there, here string) {
		if there != here {
			diff = append(diff, fmt.Sprintf("%s is [%s] there, [%s] here", what, there, here))
		}
	}
	note("nodes", strings.Join(t.Names(), ", "), strings.Join(b.Names(), ", "))
	for i := range t.Nodes {
		if other := b.Node(t.Nodes[i].Name); other != nil {
			note("node "+other.Name, strings.Join(t.Nodes[i].fields(), ", "),
				strings.Join(other.fields(), ", "))
		}
	}
	note("client_side", strings.Join(t.ClientSide, ", "), strings.Join(b.ClientSide, ", "))
	note("server_side", strings.Join(t.ServerSide, ", "), strings.Join(b.ServerSide, ", "))
	note("placements", strings.Join(t.ownTexts(), ", "), strings.Join(b.ownTexts(), ", "))
	return diff
}

// OnPathNode returns a copy of the DPU's node.
func (t *Testbed) OnPathNode(name string) (*Node, error) {
	var dpus []string
	for i := range t.Nodes {
		n := t.Nodes[i]
		if n.Kind != KindDPU {
			continue
		}
		dpus = append(dpus, n.Name)
		if n.Name == name || name == "" && slices.Contains(t.ServerSide, n.Of) {
			return &n, nil
		}
	}
	if name == "" {
		return nil, fmt.Errorf("testbed %s: found no DPU of a host on the server side, allowed: "+
			"a node {kind: dpu, of: HOST}", t.Name)
	}
	return nil, fmt.Errorf("found node %s, allowed: a DPU of testbed %s (%v)", name, t.Name, dpus)
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

// Lock keeps other processes from the submode on the testbed until unlock, or until this process
// ends. It locks the testbed's file. So no lock stays behind, and every reader of the file may lock
// it.
func (t *Testbed) Lock(how int) (unlock func(), err error) {
	f, err := infile.Open(t.Name)
	if err != nil {
		return nil, err
	}
	// Some network file systems require it to be open for writing.
	if writable, err := os.OpenFile(t.Name, os.O_RDWR|unix.O_NONBLOCK, 0); err == nil {
		f.Close()
		f = writable
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = fmt.Errorf("testbed %s: found it in use by %s, allowed: one dpukv testbed submode "+
			"apply, undo or verify at a time; wait for it, or end it",
			t.Name, lockHolder(f))
	case err != nil:
		err = fmt.Errorf("lock testbed %s: %w: put it on a file system with flock", t.Name, err)
	default:
		return func() { f.Close() }, nil
	}
	f.Close()
	return nil, err
}
