package submode

import (
	"context"
	"fmt"
)

// blueField are the study's own datapaths, on the card.
func blueField() []*datapath {
	one := func(name, submode, is string, steps func(*site) []Step, count func(context.Context, *site, Node, *Evidence) error) *datapath {
		return &datapath{
			name: name, target: BlueField, submodes: []string{submode}, is: is, filters: byOpenFlow,
			has: (*site).hasCard, steps: steps, verify: (*site).verifyCard, count: count,
			pidFiles: []string{"/var/run/openvswitch/ovs-vswitchd.pid"}, inKernel: submode != SM2,
		}
	}
	testpmd := one("testpmd", SM3, "dpdk-testpmd, io forwarding on the Arm cores", (*site).cardTestpmd, countTestpmd)
	testpmd.filters, testpmd.pidFiles, testpmd.inKernel, testpmd.verify = byTestpmd, []string{testpmdPID}, false, (*site).verifyTestpmd
	return []*datapath{
		{
			name: "none", target: BlueField, submodes: []string{OffPath}, is: "host and DPU are peers on the network",
			has: (*site).separated,
		},
		one("ovs-system", SM1, "Open vSwitch, kernel datapath on the Arm cores", (*site).cardKernel, countCardSoftware),
		one("ovs-dpdk", SM2, "OvS-DPDK on the Arm cores", (*site).cardDPDK, countCardSoftware),
		testpmd,
		one("ovs-system-offload", SM4, "Open vSwitch, kernel datapath, offloaded to the eSwitch", (*site).cardKernel, countCardOffloaded),
		one("ovs-dpdk-offload", SM5, "OvS-DPDK, offloaded to the eSwitch", (*site).cardDPDK, countCardOffloaded),
	}
}

// owned marks our bridge in the system's Open vSwitch.
const owned = "external_ids:dpukv=submode"

func (s *site) offloads() bool { return s.cfg.Submode == SM4 || s.cfg.Submode == SM5 }

// hasCard looks at the mode, which takes a power cycle to change: no command here changes it.
func (s *site) hasCard() []Step {
	list := []Step{
		{Says: "root's rights", Run: []string{"id", "-u"}, Want: is("0"), Else: "log in to the DPU as root (user: root)"},
		{
			Says: "the card's mode: embedded CPU (on-path)", Run: s.mlxconfig(), Want: onPathMode,
			Else: "by hand, then a power cycle of the host: mst start; mlxconfig -d " + s.cfg.PCI + " set INTERNAL_CPU_MODEL=1 " +
				"INTERNAL_CPU_PAGE_SUPPLIER=0 INTERNAL_CPU_ESWITCH_MANAGER=0 INTERNAL_CPU_IB_VPORT0=0 INTERNAL_CPU_OFFLOAD_ENGINE=0",
		},
		{
			Says: "the eSwitch in switchdev mode", Run: []string{"devlink", "dev", "eswitch", "show", "pci/" + s.cfg.PCI}, Want: contains("mode switchdev"),
			Else: "by hand: devlink dev eswitch set pci/" + s.cfg.PCI + " mode switchdev",
		},
		{Says: "both ports, of one MTU", Run: []string{"ip", "-d", "-j", "link", "show"}, Want: s.cardPorts, Else: "one MTU for both: ip link set dev PORT mtu N"},
	}
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: port + " is in nobody's bridge", Run: sh(`ovs-vsctl port-to-br "$1" 2>/dev/null || :`, port), Want: nothing,
			Else: "take it out and remember to put it back: ovs-vsctl del-port BRIDGE " + port + " (DOCA's images have it in ovsbr1)",
		})
	}
	if s.cfg.Submode == SM3 {
		return append(list, program("dpdk-testpmd", "dpdk"), s.hugePages())
	}
	return list
}

func (s *site) cardPorts(out string) error {
	all, err := links(out)
	if err != nil {
		return err
	}
	for _, port := range s.ports() {
		if _, ok := all[port]; !ok {
			return fmt.Errorf("found no interface %s: is this the DPU, and not its host?", port)
		}
	}
	if a, b := all[s.ports()[0]].MTU, all[s.ports()[1]].MTU; a != b {
		return fmt.Errorf("found an MTU of %d on %s and %d on %s", a, s.ports()[0], b, s.ports()[1])
	}
	return nil
}
