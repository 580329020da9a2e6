package placement

import (
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/cpu"
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

func (r *testbedReader) datapath(e entry) Datapath {
	d := Datapath{Chosen: map[string]string{}}
	for _, field := range r.mapping("datapath", e.value) {
		switch field.key {
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
			if !submode.OnPath(field.key) || !slices.Contains(submode.Names(), field.key) {
				r.unknown(field, datapathKeys)
				continue
			}
			both := append(submode.Datapaths(submode.Linux, field.key), submode.Datapaths(submode.BlueField, field.key)...)
			d.Chosen[field.key] = r.word(field, both...)
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

// target is what the node's datapath is set up on.
func (n *Node) target() string {
	switch {
	case n.Datapath.Target != "":
		return n.Datapath.Target
	case n.Generation != "" && !n.here():
		return submode.BlueField
	}
	return submode.Linux
}

// dpuOf is the DPU that sits in a host.
func (t *Testbed) dpuOf(host string) *Node {
	i := slices.IndexFunc(t.Nodes, func(n Node) bool { return n.Of == host })
	if i < 0 {
		return nil
	}
	return &t.Nodes[i]
}

// submode is what a DPU's node is to do in one; binary is this program there, cpus are those of this machine.
func (n *Node) submode(name, binary string, cpus []int, work packetfilter.Filter) (*submode.Submode, error) {
	d := &n.Datapath
	c := submode.Config{
		Submode: name, Target: n.target(), Datapath: d.Chosen[name], Ports: submode.Ports{Wire: d.Wire, Host: d.Host},
		PCI: d.PCI, CPUs: d.CPUs, Binary: binary, Filter: work,
	}
	if c.CPUs == nil {
		c.CPUs = n.CPUs
	}
	if c.CPUs == nil && n.here() && len(cpus) > 0 {
		c.CPUs = cpus[len(cpus)-1:]
	}
	if n.made() {
		c.Owner = submode.Owner()
	}
	return submode.New(c)
}
