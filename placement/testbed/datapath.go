package testbed

import (
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/internal/strictyaml"
	"dpukv/placement/submode"
)

// Datapath describes a DPU's node for on-path submodes: datapath: {…} in a testbed file.
type Datapath struct {
	// submode.Linux, submode.BlueField; "": BlueField for a generation on another machine, else
	// Linux
	Target string
	Wire   string // interface; "": p0
	Host   string // interface; "": pf0hpf
	PCI    string // of a BlueField
	CPUs   []int  // of what forwards in user space; nil: the node's, or the last of this machine
	// Chosen are the chosen datapaths by submode, of those in submode.Datapaths.
	Chosen map[string]string
}

var datapathKeys = append([]Key{
	{
		Name: "target", Help: "System that the datapath is set up on.",
		Allowed: submode.Linux + ", " + submode.BlueField,
		Default: "bluefield if the node has a generation and is another machine; else linux",
		Example: "linux",
	},
	{
		Name: "wire", Help: "Interface to the network.", Allowed: "a name",
		Default: "p0", Example: "p0",
	},
	{
		Name: "host", Help: "Interface to the DPU's host.", Allowed: "a name",
		Default: "pf0hpf", Example: "pf0hpf",
	},
	{
		Name: "pci", Help: "PCI address of a BlueField's first port.", Allowed: "a PCI address",
		Default: "0000:03:00.0", Example: `"0000:03:00.0"`,
	},
	{
		Name: "cpus", Help: "CPUs of a datapath in user space.", Allowed: "a list of CPUs",
		Default: "the node's cpus; else the last CPU of this machine; else 0 to 3 of a " +
			"BlueField, or 0",
		Example: `"4-7"`,
	},
}, submodeKeys()...)

// submodeKeys has a key for each on-path submode.
func submodeKeys() []Key {
	var keys []Key
	for _, name := range onPath() {
		linux := submode.Datapaths(submode.Linux, name)
		keys = append(keys, Key{
			Name: name, Help: "Datapath of submode " + strings.ToUpper(name) + ".",
			Allowed: "on linux " + strings.Join(linux, ", ") +
				"; on bluefield " + strings.Join(submode.Datapaths(submode.BlueField, name), ", "),
			Default: "the first that the node has", Example: linux[0],
		})
	}
	return keys
}

// onPath returns the submodes with a DPU between the hosts.
func onPath() []string {
	return slices.DeleteFunc(submode.Names(), func(name string) bool {
		return !submode.OnPath(name)
	})
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
				r.Unknown(field, keyNames(datapathKeys))
				continue
			}
			both := append(submode.Datapaths(submode.Linux, field.Key),
				submode.Datapaths(submode.BlueField, field.Key)...)
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
	return mapping(parts)
}
