package machines

import (
	"context"
	"fmt"
	"slices"

	"dpukv/placement/emulate"
	"dpukv/placement/submode"
	"dpukv/placement/testbed"
)

// wiring says how emulated machines are connected. Each wiring is a lab of its own, made when a
// point first needs it.
type wiring string

const (
	peers  wiring = "peers"  // a DPU is a peer of its host: off-path
	behind wiring = "behind" // the servers' hosts are behind their DPUs
	cabled wiring = "cabled" // the servers' hosts are joined to the wire, without DPUs
)

func wiringOf(name string) wiring {
	switch {
	case name == submode.Direct:
		return cabled
	case submode.OnPath(name):
		return behind
	}
	return peers
}

// LabSpec returns the emulated part of the testbed, wired for a submode. It has no machines if none
// is emulated.
func LabSpec(t *testbed.Testbed, submode string) (spec emulate.Spec) {
	w := wiringOf(submode)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if !n.Emulated() {
			continue
		}
		m := emulate.Machine{Name: n.Name, Kind: n.Kind, Of: n.Of, Profile: n.Profile}
		switch {
		case w == behind && n.Kind == testbed.KindDPU && slices.Contains(t.ServerSide, n.Of):
			m.OnPath = true
		case w == cabled && n.Kind == testbed.KindDPU && slices.Contains(t.ServerSide, n.Of):
			continue
		case w == cabled && slices.Contains(t.ServerSide, n.Name):
			m.Direct = true
		}
		spec.Machines = append(spec.Machines, m)
	}
	return spec
}

// Wire connects the emulated machines as a submode needs them.
func (m *Machines) Wire(ctx context.Context, name string) error {
	w := wiringOf(name)
	if m.Lab != nil && m.Lab != m.labs[w] {
		if err := m.Clear(); err != nil {
			return err
		}
	}
	if m.labs[w] == nil {
		spec := LabSpec(&m.Bed, name)
		if len(spec.Machines) == 0 {
			return nil
		}
		spec.Keeper, spec.Offloads = m.keeper, m.offloads
		lab, err := emulate.Start(ctx, spec)
		if err != nil {
			return fmt.Errorf("make the machines of testbed %s: %w", m.Bed.Name, err)
		}
		m.labs[w] = lab
	}
	if m.Lab == m.labs[w] {
		return nil
	}
	m.Lab = m.labs[w]
	m.Bed.Emulate(m.Lab.Address)
	return nil
}

// offloadsOf returns the offloads for all labs of a sweep. If some submodes forward packets one by
// one, no other submode may have them in large ones.
func offloadsOf(submodes []string) string {
	if slices.ContainsFunc(submodes, func(name string) bool { return name != submode.OffPath }) {
		return emulate.Off
	}
	return ""
}
