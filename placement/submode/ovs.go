package submode

import (
	"fmt"
	"time"
)

// bridge is the name of ours.
const bridge = "dpukv0"

// startPatience is for daemons: OvS takes seconds to come up on a slow machine.
const startPatience = 30 * time.Second

const (
	ovsdbPID    = "ovsdb-server.pid"
	vswitchdPID = "ovs-vswitchd.pid"
	schema      = "/usr/share/openvswitch/vswitch.ovsschema"
	dpdkOVS     = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
)

// linuxOVS are the datapaths of Open vSwitch on plain Linux.
func linuxOVS() []*datapath {
	ovs := []string{vswitchdPID}
	return []*datapath{
		{
			name: "ovs-system", target: Linux, submodes: []string{SM1}, is: "Open vSwitch, kernel datapath",
			has: (*site).hasKernelOVS, steps: (*site).systemSteps, verify: (*site).verifyOVS, count: countKernel, pidFiles: ovs, inKernel: true, filters: byOpenFlow,
		},
		{
			name: "ovs-netdev", target: Linux, submodes: []string{SM1}, is: "Open vSwitch, netdev datapath over AF_PACKET",
			substitute: "for OvS's kernel datapath: it forwards in user space",
			has:        (*site).hasOVS, steps: (*site).netdevSteps, verify: (*site).verifyOVS, count: countNetdev, pidFiles: ovs, filters: byOpenFlow,
		},
		{
			name: "bridge", target: Linux, submodes: []string{SM1}, is: "the kernel's bridge", onlyAsked: true,
			substitute: "for OvS's kernel datapath: it forwards in the kernel, without OvS's flows",
			has:        (*site).hasBridge, steps: (*site).bridgeSteps, verify: (*site).verifyBridge, count: countBridge,
		},
		{
			name: "ovs-dpdk", target: Linux, submodes: []string{SM2}, is: "OvS-DPDK over AF_PACKET",
			has: (*site).hasDPDKOVS, steps: (*site).dpdkSteps, verify: (*site).verifyOVS, count: countPMD, pidFiles: ovs, filters: byOpenFlow,
		},
		{
			name: "ovs-dpdk-xdp", target: Linux, submodes: []string{SM2}, is: "OvS-DPDK over AF_XDP", onlyAsked: true,
			has: (*site).hasDPDKOVS, steps: (*site).dpdkSteps, verify: (*site).verifyOVS, count: countPMD, pidFiles: ovs, filters: byOpenFlow,
		},
		{
			name: "ovs-flower", target: Linux, submodes: []string{SM4, SM5}, is: "Open vSwitch with hw-offload, tc flower rules in the kernel",
			substitute: "for the eSwitch: the rules are offloaded to the kernel's traffic control, by tc-policy=skip_hw; the same for SM4 and SM5",
			has:        (*site).hasFlower, steps: (*site).flowerSteps, verify: (*site).verifyOVS, count: countFlower, pidFiles: ovs, inKernel: true, filters: byOpenFlow,
		},
	}
}

const ovsPackage = "openvswitch-switch"

func (s *site) hasOVS() []Step {
	list := []Step{{
		Says: "Open vSwitch's schema", Run: []string{"test", "-r", schema}, Else: "install Debian's openvswitch-switch, or what your system calls it",
	}}
	for _, name := range []string{"ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "ovs-appctl", "ovs-ofctl"} {
		list = append(list, program(name, ovsPackage))
	}
	return append(list, Step{
		Says: "no other Open vSwitch with a netdev datapath here", Run: []string{"ip", "-j", "link", "show"}, Want: lacks("ovs-netdev", bridge),
		Else: "another Open vSwitch forwards in this network namespace: forward in one of its own (via: netns)",
	})
}

// lacks wants no interface of these names.
func lacks(names ...string) func(string) error {
	return func(out string) error {
		all, err := links(out)
		for _, name := range names {
			if _, ok := all[name]; ok && err == nil {
				return fmt.Errorf("found the interface %s", name)
			}
		}
		return err
	}
}

func (s *site) hasKernelOVS() []Step {
	return append(s.hasOVS(), Step{
		Says: "a kernel with the module openvswitch, and no datapath in it yet",
		Run:  sh(`modprobe -q openvswitch 2>/dev/null || :; ovs-dpctl dump-dps`), Want: nothing,
		Else: "a kernel with the module openvswitch, as Debian's has; where another Open vSwitch has the datapath already: a network namespace of its own (via: netns)",
	})
}

func (s *site) hasDPDKOVS() []Step {
	return append(s.hasOVS(),
		Step{
			Says: "OvS-DPDK", Run: []string{"test", "-x", dpdkOVS},
			Else: "install Debian's openvswitch-switch-dpdk and librte-net-af-packet23, librte-net-af-xdp23",
		})
}

func (s *site) hasFlower() []Step {
	return append(s.hasKernelOVS(), Step{
		Says: "a kernel with traffic control's flower and mirred",
		Run: sh(`exec unshare --net sh -euc '
ip link add name v0 type veth peer name v1
tc qdisc add dev v0 ingress
tc filter add dev v0 ingress protocol ip flower skip_hw dst_ip 192.0.2.1 action mirred egress redirect dev v1'`),
		Else: "a kernel with the modules cls_flower and act_mirred, as Debian's has",
	})
}
