package path

import (
	"context"
	"fmt"

	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/submode/step"
	"dpukv/results"
)

// mostArmShare is the share of a point's packets that may come to an Arm's cores: the first packets
// of each flow do, until its flow is offloaded.
const mostArmShare = 0.1

// armHits proves of submode off-path-sf that the Arms' cores did not forward the load.
type armHits struct {
	arms     []arm // of the cards
	before   []map[string]uint64
	unproven string // why there is no proof; "": there is
}

// arm is the Arm of a card, and the function that the load goes through.
type arm struct {
	step.Node
	pci string
}

// newArmHits finds the Arms of a point's cards.
func newArmHits(list cards, node func(name string) *step.Node) *armHits {
	h := &armHits{}
	if len(list) == 0 {
		h.unproven = "no card was found"
	}
	for i := range list {
		n := node(list[i].ReadOn)
		if n == nil {
			h.unproven = "the card in " + list[i].Host + " has no node of its own that tells"
			continue
		}
		h.arms = append(h.arms, arm{*n, list[i].PCI})
	}
	return h
}

// count reads the counters of all Arms.
func (h *armHits) count(ctx context.Context) (all []map[string]uint64) {
	for _, arm := range h.arms {
		hits, err := card.CPUHits(ctx, arm.Node, arm.pci)
		if err != nil {
			h.unproven = err.Error()
			return nil
		}
		all = append(all, hits)
	}
	return all
}

func (h *armHits) begin(ctx context.Context) error {
	h.before = h.count(ctx)
	return nil
}

// end compares the packets at each Arm's cores with those of the load.
func (h *armHits) end(ctx context.Context, point *results.Point) error {
	after := h.count(ctx)
	moved := packetsOf(&point.ClientMovedLoad)
	if h.unproven == "" && moved == 0 {
		h.unproven = "what the clients sent is not known from their own counts"
	}
	if len(after) != len(h.arms) || len(h.before) != len(h.arms) || h.unproven != "" {
		point.Warnings = append(point.Warnings, results.Unproven.Warn("%s: that the Arms' cores "+
			"did not forward the load is not proven: %s", submode.OffPathSF, h.unproven))
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
