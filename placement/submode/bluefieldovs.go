package submode

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"dpukv/placement/submode/dpdk"
	"dpukv/placement/submode/eswitch"
	"dpukv/placement/submode/ovs"
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
type cardSwitch struct {
	byRules
	dpdk, offload bool
}

// systemSwitch is the system's Open vSwitch. Our bridge in it carries a mark.
var systemSwitch = ovs.Switch{Bridge: bridgeName}

const bridgeMark = "external_ids:dpukv=submode"

// Check refuses a card that runs OVS-DOCA: there, ports of type dpdk are OVS-DOCA's.
func (f cardSwitch) Check(s *setup) []step.Step {
	list := append(checkCard(s), systemSwitch.WithoutDOCA())
	if f.dpdk {
		list = append(list, cardHugePages(ovs.SystemPID, dpdk.Always))
	}
	return list
}

// Steps begin with steps that only have an undo. So all else is undone first. Then Open vSwitch
// starts anew, lets go of the ports, and they get their MTU back.
func (f cardSwitch) Steps(s *setup) []step.Step {
	list := append(takeOver(s), otherConfig("hw-offload", strconv.FormatBool(f.offload)),
		keepIdleFlows())
	if f.dpdk {
		list = append(list, dpdkConfig(s)...)
	}
	list = append(append(list, restartNow()), noForeignRules(s)...)
	if !f.dpdk {
		// After the restart: mlx5 refuses the change while a port has offloaded rules.
		list = append(list, f.tcOffload(s)...)
	}
	list = append(list, f.addBridge(s))
	return append(list, systemSwitch.Drop(&s.Filter, Requests())...)
}

// takeOver takes the ports out of other bridges, after two steps that have only an undo: the ports'
// MTU, and a restart before it.
func takeOver(s *setup) []step.Step {
	list := append(keepMTU(s), step.Step{
		Purpose: "Open vSwitch anew, once all is taken back" + otherBridges,
		Undo:    restartSystemSwitch(),
	})
	return append(list, takePorts(s)...)
}

func restartNow() step.Step {
	return step.Step{
		Purpose: "Open vSwitch anew, with this configuration" + otherBridges,
		Run:     restartSystemSwitch(),
	}
}

// otherBridges tells the price of a restart: there is one Open vSwitch for the whole card.
const otherBridges = " (the card's other bridges, such as ovsbr2, stop forwarding for that time)"

// restartSystemSwitch restarts the switch, for settings that it reads only once. Its service has
// one of two names. The error of a failed start is that of the service that is there. A restart of
// that service may leave its parts alone; then they are restarted by their own names.
func restartSystemSwitch() []string {
	return step.Shell(`
service=openvswitch
if systemctl cat openvswitch-switch >/dev/null 2>&1; then service=openvswitch-switch; fi
now() { pid=$(cat "$1" 2>/dev/null) && echo "$pid $(cut -d " " -f 22 "/proc/$pid/stat")"; }
was=$(now "$1")
systemctl restart "$service" || exit
test "$(now "$1")" = "$was" || exit 0
systemctl restart ovsdb-server ovs-vswitchd || exit
test "$(now "$1")" = "$was" || exit 0
echo "found the same ovs-vswitchd (PID ${was% *}) after a restart of $service, allowed: a new one" >&2
exit 1`, ovs.SystemPID)
}

// noForeignRules refuses rules in traffic control that are not Open vSwitch's: they take packets
// before any datapath. Its own leave with the ports.
func noForeignRules(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: "no rules of others in traffic control at " + port, Within: rulesTimeout,
			Run: []string{"tc", "filter", "show", "dev", port, "ingress"}, Expect: step.Is(""),
			Advice: "look whose they are, then by hand: tc filter del dev " + port + " ingress",
		})
	}
	return list
}

const rulesTimeout = 5 * time.Second

// otherConfig sets a key of the system's Open vSwitch and restores the old value. A restart
// follows. So the commands do not wait for the switch: after a failed start it would never answer.
func otherConfig(key, value string) step.Step {
	return step.Step{
		Purpose: "Open vSwitch's " + key,
		Run: []string{
			"ovs-vsctl", "--no-wait", "set", "Open_vSwitch", ".",
			"other_config:" + key + "=" + ovs.Quote(value),
		},
		State: step.Shell(`ovs-vsctl --if-exists get Open_vSwitch . other_config:"$1"`, key),
		Sets:  ovs.Quote(value),
		Undo: step.Shell(`
if test -n "$2"; then exec ovs-vsctl --no-wait set Open_vSwitch . other_config:"$1"="$2"; fi
exec ovs-vsctl --no-wait remove Open_vSwitch . other_config "$1"`, key, step.AsFound),
	}
}

// keepIdleFlows makes flows outlive the load whose packets they count. By default, Open vSwitch
// deletes a flow, and its count, after 10 s without a packet. Counters may rest only later, and
// each command by ssh takes time.
func keepIdleFlows() step.Step {
	const milliseconds = 60000
	return otherConfig("max-idle", strconv.Itoa(milliseconds))
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

// dpdkConfig sets dpdk-init last: a running switch initializes DPDK as soon as it reads that.
func dpdkConfig(s *setup) []step.Step {
	return []step.Step{
		otherConfig("dpdk-extra", "-a "+representor(s, "[0,65535]")),
		otherConfig("pmd-cpu-mask", process.CPUMask(s.polling())),
		otherConfig("dpdk-init", "true"),
	}
}

func (f cardSwitch) addBridge(s *setup) step.Step {
	if !f.dpdk {
		return addCardBridge("system", s.ports(), nil)
	}
	return addCardBridge("netdev", s.ports(), func(port string) []string {
		device := s.PCI + cardDevice
		if port == s.Ports.Host {
			device = representor(s, "[65535]")
		}
		return []string{"type=dpdk", "options:dpdk-devargs=" + ovs.Quote(device)}
	})
}

// addCardBridge makes our bridge. Undo does not wait for the switch, since a restart follows.
// define returns the options of a port of DPDK's. Such a port gets an MTU of 1500, unless another
// one is asked for: it keeps that of the interface.
func addCardBridge(
	datapathType string, ports []string, define func(port string) []string,
) step.Step {
	add := append([]string{"ovs-vsctl", "--timeout=30"},
		systemSwitch.AddBridge(datapathType, []string{bridgeMark}, ports, define)...)
	if define != nil {
		add = step.Shell(`
p=$1 q=$2
shift 2
p_mtu=$(cat "/sys/class/net/$p/mtu") && q_mtu=$(cat "/sys/class/net/$q/mtu") && exec "$@" \
	-- set interface "$p" mtu_request="$p_mtu" -- set interface "$q" mtu_request="$q_mtu"`,
			append(slices.Clone(ports), add...)...)
	}
	return step.Step{
		Purpose: "a bridge of ours between the ports", Run: add,
		Undo: step.Shell(`test "$(ovs-vsctl --if-exists get bridge "$1" external_ids:dpukv)" != submode`+
			` || exec ovs-vsctl --no-wait del-br "$1"`, bridgeName),
	}
}

func (f cardSwitch) Verify(s *setup) []step.Step {
	list := append(verifyCardBridge(s, f.offload), systemSwitch.Runs(f.library()))
	if f.dpdk {
		list = append(list, verifyMTU(s)...)
	}
	return list
}

func (f cardSwitch) library() ovs.Library {
	if f.dpdk {
		return ovs.DPDK
	}
	return ovs.Kernel
}

// verifyCardBridge expects both ports to work in our bridge, and the asked value of hw-offload.
func verifyCardBridge(s *setup, offload bool) []step.Step {
	return append(systemSwitch.VerifyPorts(s.ports()), step.Step{
		Purpose: "hw-offload as asked for",
		Run:     systemSwitch.Vsctl("get", "Open_vSwitch", ".", "other_config:hw-offload"),
		Expect:  step.Is(ovs.Quote(strconv.FormatBool(offload))),
	})
}

// verifyMTU expects ports of DPDK's to have the MTU that was asked for.
func verifyMTU(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: port + " has the MTU that it was asked for", Within: mtuTimeout,
			Run:    systemSwitch.Vsctl("get", "interface", port, "mtu", "mtu_request"),
			Expect: sameNumbers,
			Advice: "set an MTU that the card's driver takes, on both ports and both hosts: " +
				"ip link set dev " + port + " mtu 1500",
		})
	}
	return list
}

const mtuTimeout = 10 * time.Second

func sameNumbers(out string) error {
	if f := strings.Fields(out); len(f) != 2 || f[0] != f[1] {
		return fmt.Errorf("found an MTU of %q, allowed: that of mtu_request, the second number",
			step.Shorten(out))
	}
	return nil
}

// Count reads the counts of the expected way, and those of the ways that must not be taken.
func (f cardSwitch) Count(ctx context.Context, s *setup, n step.Node, c *Counts) error {
	datapath := ovs.KernelDatapath
	if f.dpdk {
		datapath = ovs.NetdevDatapath
	}
	program, err := systemSwitch.Running(ctx, n, f.library())
	if err != nil {
		return err
	}
	c.Program = program
	flows, err := systemSwitch.Offload(ctx, n, datapath, s.ports())
	if err != nil {
		return err
	}
	dropped, err := systemSwitch.Dropped(ctx, n, &s.Filter)
	if err != nil {
		return err
	}
	c.Partial = flows.Partial.Packets()
	switch {
	case f.offload:
		c.Dropped, c.Flows = dropped, flows.Hardware.Packets()
		err = f.countOffloaded(ctx, s, n, c)
	case f.dpdk:
		c.Stray = flows.Hardware.Packets()
		err = f.countPolled(ctx, n, c)
		c.drop(dropped, userspaceDatapath)
	default:
		// The driver counts packets of the wire. The flows show that these went through Open
		// vSwitch, but they count what GRO made of the packets.
		maps.Copy(c.Carried, c.ByCPU)
		c.Joined, c.Stray = flows.CPU, flows.Hardware.Packets()
		c.drop(dropped, s.Ports.Wire)
	}
	return err
}

// countOffloaded counts the packets that a CPU saw. In the kernel's datapath, it also counts those
// of traffic control's rules, which are the flows in the eSwitch.
func (f cardSwitch) countOffloaded(
	ctx context.Context, s *setup, n step.Node, c *Counts,
) (err error) {
	c.kernel()
	if f.dpdk {
		c.Elsewhere["threads that poll"], _, err = systemSwitch.Received(ctx, n, ovs.NetdevDatapath)
	} else {
		c.InHardware, err = eswitch.InHardware(ctx, n, s.ports())
	}
	return err
}

// countPolled counts the packets of threads that poll.
func (cardSwitch) countPolled(ctx context.Context, n step.Node, c *Counts) error {
	threads, main, err := systemSwitch.Received(ctx, n, ovs.NetdevDatapath)
	if err != nil {
		return err
	}
	c.Carried[userspaceDatapath], c.Elsewhere["its main thread"] = threads, main
	c.kernel()
	return nil
}
