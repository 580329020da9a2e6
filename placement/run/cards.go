package run

import (
	"context"
	"fmt"
	"slices"

	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/submode/step"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// pointCards are the BlueFields at the ends of a point.
type pointCards []pointCard

type pointCard struct{ machines.HostCard }

// plainNIC reports whether a card is a NIC and nothing else, of a testbed that does not use its
// Arm. Off-path, nothing is between such a host and the wire.
func (c *pointCard) plainNIC(name string) bool {
	return name == submode.OffPath && c.Current == card.NIC && !c.Named
}

// visitCards reads the cards of a point, refuses those in another mode than the submode's, and
// returns the nodes with their addresses and devices in the cards' modes.
func visitCards(
	ctx context.Context, m *machines.Machines, pt *sweep.Point, c *testbed.Assignment,
) (testbed.Assignment, pointCards, error) {
	found, err := m.Cards(ctx, c)
	var cards pointCards
	for i := range found {
		cards = append(cards, pointCard{found[i]})
	}
	if err == nil {
		err = cards.check(pt.Submode)
	}
	if err != nil {
		return *c, nil, err
	}
	planned := c.For(pt.Submode)
	nodes := c.InModes(cards.mode)
	// Of a host whose card is not known, the plan's are all there is to go by.
	for i, n := range nodes.All() {
		if cards.mode(n.HostNode()) == "" {
			*n = *planned.All()[i]
		}
	}
	return nodes, cards, m.CheckAddresses(ctx, &nodes, pt.Submode == submode.OffPathSF)
}

// mode returns the current mode of a host's card; "": unknown, or there is none.
func (p pointCards) mode(host string) card.Mode {
	i := slices.IndexFunc(p, func(c pointCard) bool { return c.Host == host })
	if i < 0 {
		return ""
	}
	return p[i].Current
}

// check refuses cards in another mode than a submode asks of all cards.
func (p pointCards) check(name string) error {
	allowed := testbed.ModeOf(name)
	for i := range p {
		c := &p[i]
		if allowed == "" || c.ReadOn == "" || c.plainNIC(name) {
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

// warnings returns the doubts that come with the cards.
func (p pointCards) warnings(name string, c *testbed.Assignment) (warnings []string) {
	for i := range p {
		switch found := &p[i]; {
		case found.ReadOn == "" && found.PCI == "":
			warnings = append(warnings, fmt.Sprintf("whether %s has a BlueField on its path is "+
				"not known: %s is not verified (%s)", found.Host, name, found.Why))
		case found.ReadOn == "":
			warnings = append(warnings, fmt.Sprintf("%s has a BlueField, and its mode is not "+
				"known: whether this is %s is not verified (%s)", found.Host, name, found.Why))
		case found.plainNIC(name):
			warnings = append(warnings, fmt.Sprintf("the card in %s is in %s: to its host it is a "+
				"NIC, and not a separated host as in the study", found.Host,
				found.Current.Title()))
		case found.Current == "":
			warnings = append(warnings, fmt.Sprintf("the card in %s is in %s", found.Host,
				found.Current.Title()))
		case submode.OnPath(name) && found.Host != c.Server.HostNode() && found.Current == card.DPU:
			warnings = append(warnings, fmt.Sprintf("the client's card in %s is in %s, too: the "+
				"path crosses the switches of two cards", found.Host, found.Current.Title()))
		}
	}
	return warnings
}

// results returns the cards as a point has them.
func (p pointCards) results() (cards []results.Card) {
	for i := range p {
		c := &p[i]
		if c.ReadOn == "" {
			continue
		}
		cards = append(cards, results.Card{
			Host: c.Host, ReadOn: c.ReadOn, PCI: c.PCI, Generation: c.Generation,
			Firmware: c.Firmware, Mode: string(c.Current), NextMode: string(c.NextBoot),
		})
	}
	return cards
}

// mostArmShare is the share of a point's packets that may come to an Arm's cores: the first packets
// of each flow do, until its flow is offloaded.
const mostArmShare = 0.1

// armHits proves of submode off-path-sf that the Arms' cores did not forward the load.
type armHits struct {
	arms     []step.Node // of the cards
	before   []map[string]uint64
	unproven string // why there is no proof; "": there is
}

// newArmHits finds the Arms of a point's cards.
func newArmHits(cards pointCards, node func(name string) *step.Node) *armHits {
	h := &armHits{}
	if len(cards) == 0 {
		h.unproven = "no card was found"
	}
	for i := range cards {
		arm := node(cards[i].ReadOn)
		if arm == nil {
			h.unproven = "the card in " + cards[i].Host + " has no node of its own that tells"
			continue
		}
		h.arms = append(h.arms, *arm)
	}
	return h
}

// count reads the counters of all Arms.
func (h *armHits) count(ctx context.Context) (all []map[string]uint64) {
	for _, arm := range h.arms {
		hits, err := card.CPUHits(ctx, arm)
		if err != nil {
			h.unproven = err.Error()
			return nil
		}
		all = append(all, hits)
	}
	return all
}

func (h *armHits) begin(ctx context.Context) { h.before = h.count(ctx) }

// end compares the packets at each Arm's cores with those of the load.
func (h *armHits) end(ctx context.Context, point *results.Point) error {
	after := h.count(ctx)
	moved := packetsOf(&point.ClientMovedLoad)
	if h.unproven == "" && moved == 0 {
		h.unproven = "what the clients sent is not known from their own counts"
	}
	if len(after) != len(h.arms) || len(h.before) != len(h.arms) || h.unproven != "" {
		point.Warnings = append(point.Warnings, submode.OffPathSF+": that the Arms' cores did not "+
			"forward the load is not proven: "+h.unproven)
		return ctx.Err()
	}
	point.Evidence = map[string]uint64{}
	for i, arm := range h.arms {
		var hits uint64
		for port, n := range after[i] {
			n -= min(h.before[i][port], n)
			point.Evidence["cpu-hit/"+arm.Name+"/"+port] = n
			hits += n
		}
		if share := float64(hits) / float64(moved); share > mostArmShare {
			return fmt.Errorf("submode %s: found %d packets at the cores of %s, of %d that the "+
				"clients moved (%.0f %%), allowed: %.0f %%: the Arm forwarded the load in "+
				"software. To do there: ovs-vsctl set Open_vSwitch . "+
				"other_config:hw-offload=true; systemctl restart openvswitch-switch",
				submode.OffPathSF, hits, arm.Name, moved, 100*share, 100*mostArmShare)
		}
	}
	return nil
}

// packetsOf counts the packets that one side sent and received.
func packetsOf(m *results.Moved) uint64 {
	return m.Sockets.SentPackets + m.Sockets.ReceivedPackets + m.Device.SentPackets +
		m.Device.ReceivedPackets
}
