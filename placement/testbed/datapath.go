package testbed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/internal/strictyaml"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
)

// Datapath is what a DPU's node has for on-path submodes: datapath: {…} in a testbed file.
type Datapath struct {
	Target string // submode.Linux, submode.BlueField; "": BlueField for a generation on another machine, else Linux
	Wire   string // interface; "": p0
	Host   string // interface; "": pf0hpf
	PCI    string // of a BlueField
	CPUs   []int  // of what forwards in user space; nil: the node's, or the last of this machine
	// Chosen are datapaths by submode, of those that submode.Datapaths has.
	Chosen map[string]string
}

var datapathKeys = append([]string{"target", "wire", "host", "pci", "cpus"}, onPath()...)

// onPath are the submodes with a DPU between the hosts.
func onPath() []string {
	return slices.DeleteFunc(submode.Names(), func(name string) bool { return !submode.OnPath(name) })
}

func (r *testbedReader) datapath(e strictyaml.Entry) Datapath {
	d := Datapath{Chosen: map[string]string{}}
	for _, field := range r.Mapping("datapath", e.Value) {
		switch field.Key {
		case "target":
			d.Target = r.word(field, submode.Linux, submode.BlueField)
		case "wire":
			d.Wire = r.text(field)
		case "host":
			d.Host = r.text(field)
		case "pci":
			d.PCI = r.text(field)
		case "cpus":
			d.CPUs = r.cpus(field)
		default:
			if !submode.OnPath(field.Key) || !slices.Contains(submode.Names(), field.Key) {
				r.Unknown(field, datapathKeys)
				continue
			}
			both := append(submode.Datapaths(submode.Linux, field.Key), submode.Datapaths(submode.BlueField, field.Key)...)
			d.Chosen[field.Key] = r.word(field, both...)
		}
	}
	return d
}

func (d *Datapath) text() string {
	var parts []string
	say := func(key, value string) {
		if value != "" {
			parts = append(parts, key+": "+plain(value))
		}
	}
	say("target", d.Target)
	say("wire", d.Wire)
	say("host", d.Host)
	say("pci", d.PCI)
	if d.CPUs != nil {
		parts = append(parts, "cpus: "+strconv.Quote(cpu.FormatList(d.CPUs)))
	}
	for _, name := range onPath() {
		say(name, d.Chosen[name])
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Target is what the node's datapath is set up on.
func (n *Node) Target() string {
	switch {
	case n.Datapath.Target != "":
		return n.Datapath.Target
	case n.Generation != "" && !n.OnThisMachine():
		return submode.BlueField
	}
	return submode.Linux
}

// DPUOf is the DPU that sits in a host.
func (t *Testbed) DPUOf(host string) *Node {
	i := slices.IndexFunc(t.Nodes, func(n Node) bool { return n.Of == host })
	if i < 0 {
		return nil
	}
	return &t.Nodes[i]
}

// Submode is what a DPU's node is to do in one; binary is this program there, cpus are those of this machine.
func (n *Node) Submode(name, binary string, cpus []int, work packetfilter.Filter) (*submode.Submode, error) {
	d := &n.Datapath
	c := submode.Config{
		Submode: name, Target: n.Target(), Datapath: d.Chosen[name], Ports: submode.Ports{Wire: d.Wire, Host: d.Host},
		PCI: d.PCI, CPUs: d.CPUs, Binary: binary, Filter: work,
	}
	if c.CPUs == nil {
		c.CPUs = n.CPUs
	}
	if c.CPUs == nil && n.OnThisMachine() && len(cpus) > 0 {
		c.CPUs = cpus[len(cpus)-1:]
	}
	if n.Emulated() {
		c.Owner = submode.Owner()
	}
	return submode.New(c)
}

// OnPathNode is a copy of the DPU's node.
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
		return nil, fmt.Errorf("testbed %s: found no DPU of a host on the server side, allowed: a node {kind: dpu, of: HOST}", t.Name)
	}
	return nil, fmt.Errorf("found node %s, allowed: a DPU of testbed %s (%v)", name, t.Name, dpus)
}
