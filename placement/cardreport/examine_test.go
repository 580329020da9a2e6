package cardreport

import (
	"strings"
	"testing"

	"dpukv/placement/submode/card"
)

func healthy() *Facts {
	return &Facts{
		Root: true, Kernel: "Linux 5.15 aarch64", PageBytes: 4096, Memlock: "unlimited", Verbs: true,
		Cards: []Card{{
			Card: card.Card{
				PCI: pci, Generation: "bf2", Default: card.DPU, Current: card.DPU, NextBoot: card.DPU,
			},
			ESwitch: "switchdev", RoCE: "true", WriteOrder: []string{"PCI_WR_ORDERING per_mkey(0)"},
		}},
		Links: []Link{
			{Name: "oob_net0", MTU: 1500, Addresses: []string{"10.1.0.5"}},
			{
				Name: "p0", Driver: "mlx5_core", SpeedMbps: 100000, MTU: 1500, PortName: "p0",
				Addresses: []string{"192.168.200.2"},
			},
			{Name: "pf0hpf", MTU: 1500, PortName: "pf0"},
			{Name: "ovsbr1", MTU: 1500, Addresses: []string{"10.1.9.9"}},
			{Name: "tmfifo_net0", MTU: 1500, Addresses: []string{"192.168.100.2"}},
		},
		GIDs: []GID{{"mlx5_0", "::ffff:c0a8:c802", "RoCE v2", "p0", 3}},
		OVS: OVS{
			Version: "2.17", Service: "openvswitch-switch",
			Bridges: []Bridge{{"ovsbr1", "", []string{"p0", "pf0hpf"}}},
		},
		Login: "10.1.0.5",
	}
}

func dpu() *Role {
	return &Role{DPU: true, Address: "192.168.200.2", PCI: pci, Wire: "p0", Host: "pf0hpf", RDMA: "mlx5_0"}
}

// TestExamine: a card as it should be has no refusal. Each fault has one, with the command that
// mends it.
func TestExamine(t *testing.T) {
	for _, found := range healthy().Examine(dpu()) {
		if found.Verdict == Refused || found.Verdict == Unknown {
			t.Errorf("a healthy card: %+v", found)
		}
	}
	for name, c := range map[string]struct {
		change      func(*Facts, *Role)
		check, mend string
	}{
		"no root": {func(f *Facts, _ *Role) { f.Root = false }, "root", "sudo: true"},
		"no card": {func(f *Facts, _ *Role) { f.Cards = nil }, "card", "lspci"},
		"NIC mode": {
			func(f *Facts, _ *Role) { f.Cards[0].Current = card.NIC }, "card " + pci + " mode",
			"INTERNAL_CPU_OFFLOAD_ENGINE=0",
		},
		"legacy": {func(f *Facts, _ *Role) { f.Cards[0].ESwitch = "legacy" }, "eSwitch", "mode switchdev"},
		"tmfifo": {func(_ *Facts, r *Role) { r.Address = "192.168.100.2" }, "address", "ip address add"},
		"oob":    {func(_ *Facts, r *Role) { r.Address = "10.1.0.5" }, "address", "ip address add"},
		"memlock": {
			func(f *Facts, _ *Role) { f.Memlock, f.Root = "8192", false }, "memlock", "memlock unlimited",
		},
		"no verbs":       {func(f *Facts, _ *Role) { f.Verbs = false }, "ibverbs", "apt install libibverbs1"},
		"no GID":         {func(f *Facts, _ *Role) { f.GIDs = nil }, "GIDs", "ip address"},
		"another's GID":  {func(f *Facts, _ *Role) { f.GIDs[0].GID = "::ffff:a0a:a01" }, "GIDs", "rdma link"},
		"another device": {func(_ *Facts, r *Role) { r.RDMA = "mlx5_3" }, "GIDs", "rdma link"},
		"bridge, separated": {
			func(f *Facts, _ *Role) { f.Cards[0].Current = card.Separated }, "wire port",
			"ovs-vsctl del-port ovsbr1 p0\n" + `echo 'CREATE_OVS_BRIDGES="no"'`,
		},
		"RoCE on": {func(_ *Facts, r *Role) { r.RDMA = "softroce" }, "RoCE of " + pci, "value false cmode"},
		"RoCE off": {
			func(f *Facts, _ *Role) { f.Cards[0].RoCE, f.Cards[0].Current = "false", card.Separated },
			"RoCE of " + pci, "value true cmode",
		},
		"MTU":         {func(f *Facts, _ *Role) { f.Links[2].MTU = 9000 }, "host port", "dev pf0hpf mtu 1500"},
		"no port":     {func(_ *Facts, r *Role) { r.Host = "pf1hpf" }, "host port", "{wire: NAME, host: NAME}"},
		"ssh by p0":   {func(f *Facts, _ *Role) { f.Login = "192.168.200.2" }, "way of ssh", "--for 5m"},
		"by a bridge": {func(f *Facts, _ *Role) { f.Login = "10.1.9.9" }, "way of ssh", "--for 5m"},
		"by the Arm's function": {func(f *Facts, _ *Role) {
			f.Links, f.Login = append(f.Links, Link{Name: "enp3s0f0s0", Addresses: []string{"10.2.0.1"}}), "10.2.0.1"
		}, "way of ssh", "--for 5m"},
		"no service": {func(f *Facts, _ *Role) { f.OVS.Service = "" }, "service", "systemctl start"},
	} {
		f, r := healthy(), dpu()
		c.change(f, r)
		var refused []string
		for _, found := range f.Examine(r) {
			if found.Verdict != Refused {
				continue
			}
			refused = append(refused, found.Check)
			if found.Check == c.check && !strings.Contains(strings.Join(found.Mend, "\n"), c.mend) {
				t.Errorf("%s: found %+v, want the command %q", name, found, c.mend)
			}
		}
		if !strings.Contains(strings.Join(refused, ","), c.check) {
			t.Errorf("%s: refused %q, want %s", name, refused, c.check)
		}
	}
}
