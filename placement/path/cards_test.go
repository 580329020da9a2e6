package path

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/launch"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// TestWarningsOfCards: a card that cannot be read is a warning, and so is a second card on the path.
func TestWarningsOfCards(t *testing.T) {
	c := &testbed.Assignment{
		Server:  testbed.Node{Node: launch.Node{Name: "hostB"}, Kind: testbed.KindHost},
		Clients: []testbed.Node{{Node: launch.Node{Name: "hostA"}, Kind: testbed.KindHost}},
	}
	unseen := cards{{Host: "hostB", Why: "sh: not found"}}
	if got := unseen.warnings(submode.OffPath, c); len(got) != 1 ||
		!strings.Contains(got[0].Text, "whether hostB has a BlueField on its path is not known") {
		t.Errorf("got %q", got)
	}
	nic := cards{{Host: "hostB", ReadOn: "hostB", Card: card.Card{Current: card.NIC}}}
	if got := nic.warnings(submode.OffPath, c); len(got) != 1 || nic.check(submode.OffPath) != nil ||
		!strings.Contains(got[0].Text, "to its host it is a NIC") {
		t.Errorf("got %q", got)
	}
	if nic[0].Named = true; nic.check(submode.OffPath) == nil {
		t.Error("a NIC whose Arm the testbed names passes as a separated host")
	}
	unknown := cards{{Host: "hostB", Why: "mlxconfig: not found", Card: card.Card{PCI: "0000:03:00.0"}}}
	if got := unknown.warnings(submode.OffPath, c); len(got) != 1 || unknown.check(submode.OffPath) != nil ||
		!strings.Contains(got[0].Text, "whether this is off-path is not verified (mlxconfig: not found)") {
		t.Errorf("got %q", got)
	}
	both := cards{
		{Host: "hostB", ReadOn: "dpuB", Card: card.Card{Current: card.DPU}},
		{Host: "hostA", ReadOn: "dpuA", Card: card.Card{Current: card.DPU}},
	}
	if got := both.warnings(submode.SM4, c); len(got) != 1 ||
		!strings.Contains(got[0].Text, "crosses the switches of two") {
		t.Errorf("got %q", got)
	}
}

// TestModesOfAPoint: the nodes of a point have the address and the device of their card's mode.
func TestModesOfAPoint(t *testing.T) {
	programs.First(t, map[string]string{
		"ssh": programs.SSH, "mlxconfig": programs.Mlxconfig("1", "1", "1"), "ip": sfAddress,
	})
	bed := must.Get(testbed.Parse("t.yaml", []byte(strings.ReplaceAll(testbeds.TwoCards, "address: 10.10.10.4",
		"address: 10.10.10.4, rdma: {device: mlx5_0}, modes: {dpu: {address: 10.10.10.14, rdma: {device: mlx5_2}}}")+
		"placements: {TO-DPU: {clients: hostA, server: dpuB}}\n")))(t)
	c := must.Get(bed.Assign("TO-DPU"))(t)
	for name, want := range map[string]string{submode.OffPath: "10.10.10.4", submode.OffPathSF: "10.10.10.14"} {
		if planned := c.For(name); planned.Server.Address != want {
			t.Errorf("%s: planned %s, want %s", name, planned.Server.Address, want)
		}
	}
	m := &machines.Machines{Bed: bed}
	_, _, err := visitCards(t.Context(), m, submode.OffPathSF, &c)
	if err == nil || !strings.Contains(err.Error(), "wants its address 10.10.10.14 on a scalable function") {
		t.Errorf("an address of another interface: got %v", err)
	}
	got, cards, err := visitCards(t.Context(), m, submode.SM4, &c)
	if err != nil || len(cards) != 2 || got.Server.Address != "10.10.10.14" || got.Server.RDMA.Device != "mlx5_2" ||
		c.Server.Address != "10.10.10.4" {
		t.Errorf("got %+v, %+v, %v", got.Server, cards, err)
	}
}

const sfAddress = `echo '[{"ifname":"br0","addr_info":[{"local":"10.10.10.14"}]}]'` + "\n"

// TestArmHits: packets that came to the Arm's cores before the load do not count. Few are the first
// ones of flows, many are a switch in software, and a card without counters is a warning.
func TestArmHits(t *testing.T) {
	for name, c := range map[string]struct {
		hits       [2]uint64 // before, after
		fails      bool
		want, warn string
	}{
		"offloaded":   {hits: [2]uint64{5000, 5020}},
		"in software": {hits: [2]uint64{5000, 5900}, want: "found 900 packets at the cores of dpuB, of 1000"},
		"no counters": {fails: true, warn: "is not proven: node dpuB"},
	} {
		n := 0
		arm := step.Node{Name: "dpuB", Run: func(context.Context, []string) (string, error) {
			n++
			if c.fails {
				return "", errors.New("no such command")
			}
			return fmt.Sprintf(`[{"ifname":"p0","stats64":{"rx":{"packets":%d}}}]`, c.hits[n-1]), nil
		}}
		found := cards{{Host: "hostB", ReadOn: "dpuB"}}
		h := newArmHits(found, func(string) *step.Node { return &arm })
		must.Do(t, h.begin(t.Context()))
		p := &results.Point{}
		p.ClientMovedLoad.Sockets = results.Packets{SentPackets: 400, ReceivedPackets: 600}
		err := h.end(t.Context(), p)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if got := p.Warnings.String(); (got != "") != (c.warn != "") || !strings.Contains(got, c.warn) {
			t.Errorf("%s: got the warnings %q, want %q", name, got, c.warn)
		}
		if name == "offloaded" && p.Evidence["cpu-hit/dpuB/p0"] != 20 {
			t.Errorf("%s: got the evidence %v", name, p.Evidence)
		}
	}
	byHost := cards{{Host: "hostB", ReadOn: "hostB"}}
	h := newArmHits(byHost, func(string) *step.Node { return nil })
	must.Do(t, h.begin(t.Context()))
	p := &results.Point{}
	if err := h.end(t.Context(), p); err != nil || len(p.Warnings) != 1 ||
		!strings.Contains(p.Warnings[0].String(), submode.OffPathSF) {
		t.Errorf("got %v, %q", err, p.Warnings)
	}
}
