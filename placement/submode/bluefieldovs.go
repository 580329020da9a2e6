package submode

import (
	"context"
	"strconv"

	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// The study's own Open vSwitch datapaths, on the card.
var (
	blueFieldKernel = &datapath{
		name: "ovs-system", target: BlueField, submodes: []string{SM1},
		title:    "Open vSwitch, kernel datapath on the Arm cores",
		pidFiles: []string{ovs.SystemPID}, inKernel: true,
		forwarder: cardSwitch{},
	}
	blueFieldDPDK = &datapath{
		name: "ovs-dpdk", target: BlueField, submodes: []string{SM2},
		title:     "OvS-DPDK on the Arm cores",
		pidFiles:  []string{ovs.SystemPID},
		forwarder: cardSwitch{dpdk: true},
	}
	blueFieldKernelOffload = &datapath{
		name: "ovs-system-offload", target: BlueField, submodes: []string{SM4},
		title:    "Open vSwitch, kernel datapath, offloaded to the eSwitch",
		pidFiles: []string{ovs.SystemPID}, inKernel: true,
		forwarder: cardSwitch{offload: true},
	}
	blueFieldDPDKOffload = &datapath{
		name: "ovs-dpdk-offload", target: BlueField, submodes: []string{SM5},
		title:    "OvS-DPDK, offloaded to the eSwitch",
		pidFiles: []string{ovs.SystemPID}, inKernel: true,
		forwarder: cardSwitch{dpdk: true, offload: true},
	}
)

// cardSwitch is our bridge in the system's Open vSwitch, with the kernel's datapath or DPDK's.
type cardSwitch struct{ dpdk, offload bool }

// systemSwitch is the system's Open vSwitch. Our bridge in it carries a mark.
var systemSwitch = ovs.Switch{Bridge: bridgeName}

const bridgeMark = "external_ids:dpukv=submode"

func (cardSwitch) Check(s *setup) []step.Step { return checkCard(s) }

// Steps begin with a restart that only has an undo. So the restart comes last when all is undone.
func (f cardSwitch) Steps(s *setup) []step.Step {
	list := []step.Step{
		{Purpose: "Open vSwitch anew, once all is taken back", Undo: restartSystemSwitch()},
		otherConfig("hw-offload", strconv.FormatBool(f.offload)),
	}
	if f.dpdk {
		list = append(list, dpdkConfig(s)...)
	} else {
		list = append(list, f.tcOffload(s)...)
	}
	list = append(list,
		step.Step{
			Purpose: "Open vSwitch anew, with this configuration", Run: restartSystemSwitch(),
		}, f.addBridge(s))
	return append(list, systemSwitch.Drop(&s.Filter, Requests())...)
}

// restartSystemSwitch restarts the switch, for settings that it reads only once.
func restartSystemSwitch() []string {
	return step.Shell(
		`systemctl restart openvswitch-switch 2>/dev/null || systemctl restart openvswitch`)
}

// otherConfig sets a key of the system's Open vSwitch and restores the old value.
func otherConfig(key, value string) step.Step {
	return step.Step{
		Purpose: "Open vSwitch's " + key,
		Run: []string{
			"ovs-vsctl", "set", "Open_vSwitch", ".", "other_config:" + key + "=" + ovs.Quote(value),
		},
		State: step.Shell(`ovs-vsctl --if-exists get Open_vSwitch . other_config:"$1"`, key),
		Sets:  ovs.Quote(value),
		Undo: step.Shell(`if test -n "$2"; then ovs-vsctl set Open_vSwitch . other_config:"$1"="$2"; `+
			`else ovs-vsctl remove Open_vSwitch . other_config "$1"; fi`, key, step.AsFound),
	}
}

// tcOffload allows or forbids the ports' own drivers to take rules.
func (f cardSwitch) tcOffload(s *setup) (list []step.Step) {
	value := "off"
	if f.offload {
		value = "on"
	}
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: "hw-tc-offload of " + port,
			Run:     []string{"ethtool", "-K", port, "hw-tc-offload", value},
			State: step.Shell(
				`ethtool -k "$1" | sed -n 's/^hw-tc-offload: \(o[nf]*\).*/\1/p'`, port),
			Sets: value,
			Undo: []string{"ethtool", "-K", port, "hw-tc-offload", step.AsFound}, Port: port,
		})
	}
	return list
}

// Options of the card's devices in DPDK.
const cardDevice = ",dv_flow_en=1,dv_xmeta_en=1,sys_mem_en=1"

func representor(s *setup, list string) string {
	return s.PCI + ",representor=" + list + cardDevice
}

func dpdkConfig(s *setup) []step.Step {
	return []step.Step{
		otherConfig("dpdk-init", "true"),
		otherConfig("dpdk-extra", "-a "+representor(s, "[0,65535]")),
		otherConfig("pmd-cpu-mask", process.CPUMask(s.polling())),
	}
}

func (f cardSwitch) addBridge(s *setup) step.Step {
	datapathType, define := "system", (func(string) []string)(nil)
	if f.dpdk {
		datapathType = "netdev"
		define = func(port string) []string {
			device := s.PCI + cardDevice
			if port == s.Ports.Host {
				device = representor(s, "[65535]")
			}
			return []string{"type=dpdk", "options:dpdk-devargs=" + ovs.Quote(device)}
		}
	}
	add := systemSwitch.AddBridge(datapathType, []string{bridgeMark}, s.ports(), define)
	return step.Step{
		Purpose: "a bridge of ours between the ports",
		Run:     append([]string{"ovs-vsctl", "--timeout=30"}, add...),
		Undo: step.Shell(`test "$(ovs-vsctl --if-exists get bridge "$1" external_ids:dpukv)" != submode`+
			` || ovs-vsctl del-br "$1"`, bridgeName),
	}
}

func (f cardSwitch) Verify(s *setup) []step.Step {
	vsctl := func(args ...string) []string { return append([]string{"ovs-vsctl"}, args...) }
	return append(systemSwitch.VerifyPorts(s.ports(), vsctl), step.Step{
		Purpose: "hw-offload as asked for",
		Run:     []string{"ovs-vsctl", "get", "Open_vSwitch", ".", "other_config:hw-offload"},
		Expect:  step.Is(ovs.Quote(strconv.FormatBool(f.offload))),
	})
}

// Count reads the flows of the expected way, and those of the ways that must not be taken.
func (f cardSwitch) Count(ctx context.Context, s *setup, n step.Node, c *Counts) (err error) {
	right, wrong := ovs.InSoftware, ovs.Offloaded
	if f.offload {
		right, wrong = wrong, right
	}
	if c.Flows, err = systemSwitch.Flows(ctx, n, right, ""); err != nil {
		return err
	}
	if c.Stray, err = systemSwitch.Flows(ctx, n, wrong, ""); err != nil {
		return err
	}
	c.Dropped, err = systemSwitch.Dropped(ctx, n, &s.Filter)
	return err
}

func (cardSwitch) Filter(f *packetfilter.Filter) error { return ovs.CheckFilter(f) }
