package path

import (
	"context"
	"fmt"
	"slices"

	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// cards are the BlueFields at the ends of a point.
type cards []machines.HostCard

// plainNIC reports whether a card is a NIC and nothing else, of a testbed that does not use its
// Arm. Off-path, nothing is between such a host and the wire.
func plainNIC(c *machines.HostCard, name string) bool {
	return name == submode.OffPath && c.Current == card.NIC && !c.Named
}

// visitCards reads the cards of a point, refuses those in another mode than the submode's, and
// returns the nodes with their addresses and devices in the cards' modes.
func visitCards(
	ctx context.Context, m *machines.Machines, name string, c *testbed.Assignment,
) (testbed.Assignment, cards, error) {
	found, err := m.Cards(ctx, c)
	list := cards(found)
	if err == nil {
		err = list.check(name)
	}
	if err != nil {
		return *c, nil, err
	}
	planned := c.For(name)
	nodes := c.InModes(list.mode)
	// Of a host whose card is not known, the plan's are all there is to go by.
	for i, n := range nodes.All() {
		if list.mode(n.HostNode()) == "" {
			*n = *planned.All()[i]
		}
	}
	return nodes, list, m.CheckAddresses(ctx, &nodes, name)
}

// mode returns the current mode of a host's card; "": unknown, or there is none.
func (p cards) mode(host string) card.Mode {
	i := slices.IndexFunc(p, func(c machines.HostCard) bool { return c.Host == host })
	if i < 0 {
		return ""
	}
	return p[i].Current
}

// check refuses cards in another mode than a submode asks of all cards.
func (p cards) check(name string) error {
	allowed := testbed.ModeOf(name)
	for i := range p {
		c := &p[i]
		if allowed == "" || c.ReadOn == "" || plainNIC(c, name) {
			continue
		}
		if err := c.Check(allowed); err != nil {
			return fmt.Errorf("submode %s, the card %s in %s (read on %s): %w%s\nTo do: %s%s",
				name, c.PCI, c.Host, c.ReadOn, err, consequence[c.Current],
				card.HowTo(c.PCI, allowed), otherwise[name])
		}
	}
	return nil
}

// consequence tells what a mode would make of a point.
var consequence = map[card.Mode]string{
	card.DPU: "; all traffic of the host passes the Arm's switch there, which is on-path",
	card.NIC: "; the Arm takes no part there",
}

// otherwise tells what to do where a mode cannot be had.
var otherwise = map[string]string{
	submode.OffPath: "\nNVIDIA's documents list the mode up to DOCA 2.9 (there as obsolete). " +
		"Without it: submode: [" + submode.OffPathSF + "], which is another measurement",
}

// warnings returns the warnings that come with the cards.
func (p cards) warnings(name string, c *testbed.Assignment) (warnings results.Warnings) {
	note := func(format string, args ...any) {
		warnings = append(warnings, results.Other.Warn(format, args...))
	}
	for i := range p {
		switch found := &p[i]; {
		case found.ReadOn == "" && found.PCI == "":
			note("whether %s has a BlueField on its path is not known: %s is not verified (%s)",
				found.Host, name, found.Why)
		case found.ReadOn == "":
			note("%s has a BlueField, and its mode is not known: whether this is %s is not "+
				"verified (%s)", found.Host, name, found.Why)
		case plainNIC(found, name):
			note("the card in %s is in %s: to its host it is a NIC, and not a separated host as "+
				"in the study", found.Host, found.Current.Title())
		case found.Current == "":
			note("the card in %s is in %s", found.Host, found.Current.Title())
		case submode.OnPath(name) && found.Host != c.Server.HostNode() && found.Current == card.DPU:
			note("the client's card in %s is in %s, too: the path crosses the switches of two "+
				"cards", found.Host, found.Current.Title())
		}
	}
	return warnings
}

// results returns the cards as a point has them.
func (p cards) results() (list []results.Card) {
	for i := range p {
		c := &p[i]
		if c.ReadOn == "" {
			continue
		}
		list = append(list, results.Card{
			Host: c.Host, ReadOn: c.ReadOn, PCI: c.PCI, Generation: c.Generation,
			Firmware: c.Firmware, Mode: string(c.Current), NextMode: string(c.NextBoot),
			Channels: c.Channels,
		})
	}
	return list
}
