package machines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"dpukv/placement/launch"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
)

// HostCard is the BlueField of one host of a placement.
type HostCard struct {
	card.Card
	Host   string // the host's node
	Named  bool   // the testbed has a node for the card's Arm
	ReadOn string // the node that told the mode; "": none did
	Why    string // the mode is unknown, and with PCI "" whether there is a card at all
}

// Cards reads the modes of the BlueFields in all hosts of a placement, by their DPUs or by the
// hosts themselves. Each call asks anew: a power cycle in the middle of a sweep may change a mode.
// A card that the testbed does not name may stay unknown, with the reason in Why. Hosts without a
// card, and emulated ones, are not in the list.
func (m *Machines) Cards(ctx context.Context, c *testbed.Assignment) ([]HostCard, error) {
	hosts := hostsOf(c)
	cards, errs := make([]*HostCard, len(hosts)), make([]error, len(hosts))
	var all sync.WaitGroup
	for i, host := range hosts {
		all.Go(func() { cards[i], errs[i] = m.cardOf(ctx, c, host) })
	}
	all.Wait()
	var list []HostCard
	for _, found := range cards {
		if found != nil {
			list = append(list, *found)
		}
	}
	return list, errors.Join(errs...)
}

// hostsOf returns the hosts of a placement, each once, the server's first.
func hostsOf(c *testbed.Assignment) (hosts []string) {
	for _, n := range c.All() {
		if host := n.HostNode(); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// cardOf reads the mode of the card in a host; nil: there is none.
func (m *Machines) cardOf(
	ctx context.Context, c *testbed.Assignment, host string,
) (*HostCard, error) {
	var errs []error
	var unread string
	dpu := m.Bed.DPUOf(host)
	named := m.namesCard(host)
	for _, n := range []*testbed.Node{dpu, m.Bed.Node(host)} {
		if n == nil || n.Emulated() {
			continue
		}
		pci, err := m.cardAt(ctx, n)
		if err == nil && pci == "" {
			continue
		}
		if err == nil {
			var found card.Card
			if found, err = card.Read(ctx, m.SubmodeNode(n), pci); err == nil {
				return &HostCard{Card: found, Host: host, Named: named, ReadOn: n.Name}, nil
			}
			unread = pci
		}
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case named:
		return nil, fmt.Errorf("the mode of the card in %s is not known: %w", host, err)
	case err != nil:
		return &HostCard{Card: card.Card{PCI: unread}, Host: host, Why: err.Error()}, nil
	}
	return nil, nil
}

// cardAt returns the PCI address of the card that a node's load goes through; "": none.
func (m *Machines) cardAt(ctx context.Context, n *testbed.Node) (string, error) {
	if n.Kind == testbed.KindDPU && n.Target() == submode.BlueField {
		return cmp.Or(n.Datapath.PCI, "0000:03:00.0"), nil
	}
	if onLoopback(n) {
		return "", nil
	}
	seen, err := m.look(ctx, n)
	if err != nil || len(seen.Functions) == 0 {
		return "", err
	}
	if it := seen.OfAddress(); it != nil {
		if f := seen.Behind(it); f != nil {
			return f.PCI, nil
		}
		return "", nil
	}
	return seen.Functions[0].PCI, nil // of an address that is not seen there, any may be it
}

// Arm returns the node of a card, by its name; nil: the node is no card.
func (m *Machines) Arm(name string) *step.Node {
	n := m.Bed.Node(name)
	if n == nil || n.Kind != testbed.KindDPU || n.Emulated() {
		return nil
	}
	arm := m.SubmodeNode(n)
	return &arm
}

// onLoopback reports whether a node's load does not leave this machine.
func onLoopback(n *testbed.Node) bool {
	return n.Via == launch.Local && n.Address == testbed.Loopback
}

// look reads a node's interfaces once for each of its addresses: cables do not move.
func (m *Machines) look(ctx context.Context, n *testbed.Node) (card.Node, error) {
	key := n.Name + " " + n.Address
	m.mu.Lock()
	seen, ok := m.seen[key]
	m.mu.Unlock()
	if ok {
		return seen, nil
	}
	seen, err := card.Look(ctx, m.SubmodeNode(n), n.Address)
	if err != nil {
		return seen, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = map[string]card.Node{}
	}
	m.seen[key] = seen
	return seen, nil
}
