package emulate

import (
	"fmt"
	"slices"

	"dpukv/placement/emulate/keeper"
)

// network is the range for benchmarks (RFC 2544, C.2.2). It exists only in the lab's namespaces, so
// every lab has the same.
const network = "198.18.0.%d"

// The ends of cables beside the machines.
const (
	card       = "card-" // and the host's name: the off-path card
	wire       = "wire"  // a card's port to the other side
	fabric     = "switch"
	defaultMTU = 1500
)

// topology is the plan of the spec's cables, and of the way to each machine.
type topology struct {
	keeper.Plan
	addresses map[string]string
	cables    map[string]keeper.End // the far end of each machine's: what CutOff takes down
}

// newTopology connects each host with its DPUs to a side, and the sides to each other. The spec is
// checked.
func newTopology(spec *Spec) *topology {
	t := &topology{addresses: map[string]string{}, cables: map[string]keeper.End{}}
	t.MTU, t.Offloads = spec.mtu(), spec.offloads() == On
	for i := range spec.Machines {
		m := &spec.Machines[i]
		t.Spaces = append(t.Spaces, m.Name)
		if !m.OnPath {
			t.addresses[m.Name] = fmt.Sprintf(network, i+1)
		}
	}
	var ports []keeper.End
	for i := range spec.Machines {
		if m := &spec.Machines[i]; m.Kind == Host {
			ports = append(ports, t.side(spec, m))
		}
	}
	t.joinSides(ports)
	t.reach(spec)
	return t
}

// side lays the cables of a host and its DPUs, and returns the end for the wire to the other sides.
func (t *topology) side(spec *Spec, host *Machine) keeper.End {
	if host.Direct {
		return t.uplink(host.Name)
	}
	dpus := spec.dpusOf(host.Name)
	if len(dpus) == 1 && dpus[0].OnPath {
		dpu := dpus[0].Name
		t.join(t.uplink(host.Name), keeper.End{Space: dpu, Name: HostPort})
		return keeper.End{Space: dpu, Name: Port}
	}
	c := t.bridge(card + host.Name)
	for i, m := range append([]*Machine{host}, dpus...) {
		port := "pf0"
		if i > 0 {
			port = fmt.Sprintf("dpu%d", i-1)
		}
		t.join(t.uplink(m.Name), keeper.End{Space: c, Name: port, Bridged: true})
	}
	return keeper.End{Space: c, Name: wire, Bridged: true}
}

// joinSides connects two sides back to back, as in the study, and more sides through a switch.
func (t *topology) joinSides(ports []keeper.End) {
	switch len(ports) {
	case 1:
	case 2:
		t.join(ports[0], ports[1])
	default:
		s := t.bridge(fabric)
		for i, p := range ports {
			t.join(p, keeper.End{Space: s, Name: fmt.Sprintf("port%d", i), Bridged: true})
		}
	}
}

// join lays a cable. If an end is in a machine, the other end cuts that machine off. Of an on-path
// DPU, that is the end of the wire, which comes last.
func (t *topology) join(a, b keeper.End) {
	t.Links = append(t.Links, keeper.Link{A: a, B: b})
	for _, way := range [][2]keeper.End{{a, b}, {b, a}} {
		if near, far := way[0], way[1]; !near.Bridged {
			t.cables[near.Space] = far
		}
	}
}

func (t *topology) bridge(name string) string {
	t.Spaces, t.Bridges = append(t.Spaces, name), append(t.Bridges, name)
	return name
}

func (t *topology) uplink(machine string) keeper.End {
	return keeper.End{Space: machine, Name: Uplink, Address: t.addresses[machine] + "/24"}
}

// reach requires a way between each two machines that have one. An on-path DPU is no way yet.
func (t *topology) reach(spec *Spec) {
	var names []string
	for i := range spec.Machines {
		m := &spec.Machines[i]
		behind := slices.ContainsFunc(spec.dpusOf(m.Name), func(d *Machine) bool {
			return d.OnPath
		})
		if !m.OnPath && !behind {
			names = append(names, m.Name)
		}
	}
	for i, from := range names {
		for _, to := range names[i+1:] {
			t.Reach = append(t.Reach, keeper.Reach{From: from, To: t.addresses[to]})
		}
	}
}

// interfaces returns the interfaces of a machine. The first one is the subject of Counters.
func (t *topology) interfaces(machine string) []string {
	var names []string
	for i := range t.Links {
		for _, e := range []*keeper.End{&t.Links[i].A, &t.Links[i].B} {
			if e.Space == machine {
				names = append(names, e.Name)
			}
		}
	}
	slices.Sort(names) // p0 before pf0hpf
	return names
}

// isPort reports whether the rate of a host's port limits a link. It limits the wire of the host's
// side and, behind an on-path DPU, the host's own cable.
func (t *topology) isPort(spec *Spec, link *keeper.Link, host *Machine) bool {
	return slices.ContainsFunc([]keeper.End{link.A, link.B}, func(e keeper.End) bool {
		switch {
		case e.Space == card+host.Name:
			return e.Name == wire
		case e.Space == host.Name:
			return host.Direct || len(spec.dpusOf(host.Name)) == 1 &&
				spec.dpusOf(host.Name)[0].OnPath
		}
		m := spec.machine(e.Space)
		return m != nil && m.OnPath && m.Of == host.Name && e.Name == Port
	})
}

// rateOf returns the enforced rate of the port of a machine's side; 0: none.
func (t *topology) rateOf(spec *Spec, m *Machine) uint64 {
	host := spec.machine(spec.hostOf(m))
	for i := range t.Links {
		if l := &t.Links[i]; t.isPort(spec, l, host) && l.RateBps > 0 {
			return l.RateBps
		}
	}
	return 0
}
