package submode

import (
	"fmt"
	"slices"
	"strings"
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
			has: (*site).hasKernelOVS, steps: (*site).systemSteps, verify: (*site).verifyOVS, count: countKernel, pidFiles: ovs, inKernel: true, filters: true,
		},
		{
			name: "ovs-netdev", target: Linux, submodes: []string{SM1}, is: "Open vSwitch, netdev datapath over AF_PACKET",
			substitute: "for OvS's kernel datapath: it forwards in user space",
			has:        (*site).hasOVS, steps: (*site).netdevSteps, verify: (*site).verifyOVS, count: countNetdev, pidFiles: ovs, filters: true,
		},
		{
			name: "bridge", target: Linux, submodes: []string{SM1}, is: "the kernel's bridge", onlyAsked: true,
			substitute: "for OvS's kernel datapath: it forwards in the kernel, without OvS's flows",
			has:        (*site).hasBridge, steps: (*site).bridgeSteps, verify: (*site).verifyBridge, count: countBridge,
		},
		{
			name: "ovs-dpdk", target: Linux, submodes: []string{SM2}, is: "OvS-DPDK over AF_PACKET",
			has: (*site).hasDPDKOVS, steps: (*site).dpdkSteps, verify: (*site).verifyOVS, count: countPMD, pidFiles: ovs, filters: true,
		},
		{
			name: "ovs-dpdk-xdp", target: Linux, submodes: []string{SM2}, is: "OvS-DPDK over AF_XDP", onlyAsked: true,
			has: (*site).hasDPDKOVS, steps: (*site).dpdkSteps, verify: (*site).verifyOVS, count: countPMD, pidFiles: ovs, filters: true,
		},
		{
			name: "ovs-flower", target: Linux, submodes: []string{SM4, SM5}, is: "Open vSwitch with hw-offload, tc flower rules in the kernel",
			substitute: "for the eSwitch: the rules are offloaded to the kernel's traffic control, by tc-policy=skip_hw; the same for SM4 and SM5",
			has:        (*site).hasFlower, steps: (*site).flowerSteps, verify: (*site).verifyOVS, count: countFlower, pidFiles: ovs, inKernel: true, filters: true,
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

// own runs an OvS command whose sockets are in the folder.
func (s *site) own(argv ...string) []string {
	return append([]string{"env", "OVS_RUNDIR=" + s.dir}, argv...)
}

func (s *site) vsctl(args ...string) []string {
	return s.own(append([]string{"ovs-vsctl", "--db=unix:" + s.file("db.sock"), "--timeout=30"}, args...)...)
}

func (s *site) appctl(args ...string) []string {
	return s.own(append([]string{"ovs-appctl", "--timeout=10", "--target=" + s.file("ovs-vswitchd.ctl")}, args...)...)
}

func (s *site) ofctl(command string, args ...string) []string {
	return s.own(append([]string{"ovs-ofctl", "--timeout=10", command, "unix:" + s.file(bridge+".mgmt")}, args...)...)
}

// daemon are an OvS daemon's arguments: everything it writes lies in the folder.
func (s *site) daemon(name, program string, args ...string) []string {
	return append([]string{
		program, "--detach", "--no-chdir", "--pidfile=" + s.file(name+".pid"),
		"--unixctl=" + s.file(name+".ctl"), "--log-file=" + s.file(name+".log"), "-vconsole:off",
	}, args...)
}

// startOVS starts an Open vSwitch of our own with this configuration.
func (s *site) startOVS(vswitchd string, pinned bool, config ...string) []Step {
	daemon := s.daemon("ovs-vswitchd", vswitchd, "unix:"+s.file("db.sock"))
	if pinned {
		daemon = append([]string{"taskset", "-c", cpuList(s.cfg.CPUs)}, daemon...)
	}
	list := []Step{
		{
			Says: "interfaces of the switch's own, which outlive it, removed at the end",
			Undo: sh(`for i in "$@"; do ip link del dev "$i" 2>/dev/null || :; done`, bridge, "ovs-netdev"),
		},
		{Says: "a database of our own", Run: []string{"ovsdb-tool", "create", s.file("conf.db"), schema}},
		{
			Says: "its server", Run: s.own(s.daemon("ovsdb-server", "ovsdb-server", "--remote=punix:"+s.file("db.sock"), s.file("conf.db"))...),
			Undo: s.stop(ovsdbPID),
		},
		{Says: "an empty configuration", Run: s.vsctl("--no-wait", "init")},
	}
	for _, c := range config {
		list = append(list, Step{Says: "configure " + strings.SplitN(c, "=", 2)[0], Run: s.vsctl("--no-wait", "set", "Open_vSwitch", ".", "other_config:"+c)})
	}
	return append(list, Step{
		Says: "the switch", Run: s.own(daemon...), Undo: s.stop(vswitchdPID),
	})
}

// addBridge makes our bridge with both ports; port are the arguments that define one.
func (s *site) addBridge(datapathType string, port func(name string) []string) []Step {
	args := []string{"add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=" + datapathType, "fail_mode=standalone"}
	for _, name := range s.ports() {
		args = append(args, "--", "add-port", bridge, name)
		if port != nil {
			args = append(append(args, "--", "set", "interface", name), port(name)...)
		}
	}
	return []Step{{Says: "a bridge between the ports", Run: s.vsctl(args...)}}
}

// roomy runs a command while sockets get 8 MB for what they receive: those of AF_PACKET drop at the default. The setting is
// one for the whole machine, changed in its first namespace only, and by one of us at a time.
func roomy(argv []string) []string {
	return append(sh(`
exec 9</run
flock 9
resize() { nsenter --target 1 --net sysctl -qw net.core.rmem_default="$1"; }
old=$(sysctl -n net.core.rmem_default)
trap 'resize "$old"' EXIT
trap 'exit 1' HUP INT TERM
resize 8388608
"$@"`), argv...)
}

func (s *site) netdevSteps() []Step {
	add := s.addBridge("netdev", nil)
	add[0].Run = roomy(add[0].Run)
	add[0].Says += ", its sockets with 8 MB each"
	return append(s.startOVS("ovs-vswitchd", true), add...)
}

// systemSteps has the datapath taken out of the kernel in the end, where it outlives the switch.
func (s *site) systemSteps() []Step {
	forget := Step{
		Says: "what is in the kernel, taken out at the end",
		Undo: sh(`ovs-dpctl dump-dps 2>/dev/null | grep -qx system@ovs-system || exit 0; exec ovs-dpctl del-dp ovs-system`),
	}
	return slices.Concat([]Step{forget}, s.startOVS("ovs-vswitchd", true), s.addBridge("system", nil))
}

func (s *site) flowerSteps() []Step {
	var list []Step
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: "rules of traffic control on " + port + ", removed at the end",
			Undo: sh(`tc qdisc del dev "$1" ingress 2>/dev/null || tc qdisc del dev "$1" clsact 2>/dev/null || :`, port),
		})
	}
	list = append(list, s.systemSteps()...)
	for i := range list {
		if list[i].Says == "an empty configuration" {
			list[i].Run = s.vsctl("--no-wait", "init", "--", "set", "Open_vSwitch", ".", "other_config:hw-offload=true", "other_config:tc-policy=skip_hw")
			list[i].Says = "a configuration with hw-offload, its rules in the kernel"
		}
	}
	return list
}

func (s *site) dpdkSteps() []Step {
	house, poll := s.cfg.CPUs[:1], s.cfg.CPUs[1:]
	if len(poll) == 0 {
		poll = house
	}
	config := []string{
		"dpdk-init=true", "dpdk-lcore-mask=" + mask(house), "pmd-cpu-mask=" + mask(poll), "pmd-maxsleep=100",
		"dpdk-extra=" + quoteOVS("--no-huge --legacy-mem --no-pci --iova-mode=va -m 512 --file-prefix="+s.prefix()+" --no-telemetry"),
	}
	port := func(name string) []string {
		devargs := fmt.Sprintf("net_af_packet_%s,iface=%s,framesz=2048,framecnt=8192,blocksz=65536,qdisc_bypass=1", name, name)
		if s.driver() == "af_xdp" {
			devargs = fmt.Sprintf("net_af_xdp_%s,iface=%s", name, name)
		}
		return []string{"type=dpdk", "options:dpdk-devargs=" + quoteOVS(devargs), "options:n_rxq=1"}
	}
	return slices.Concat(s.xdpFree(), []Step{s.dpdkFiles()}, s.startOVS(dpdkOVS, false, config...), s.addBridge("netdev", port))
}

// prefix sets apart the files of DPDK processes.
func (s *site) prefix() string {
	return "dpukv-" + s.dir[strings.LastIndexByte(s.dir, '/')+1:]
}

// dpdkFiles has DPDK's own files removed at the end.
func (s *site) dpdkFiles() Step {
	return Step{
		Says: "DPDK's files in /run/dpdk, removed at the end",
		Undo: sh(`rm -rf "/run/dpdk/$1"; rmdir /run/dpdk 2>/dev/null || :`, s.prefix()),
	}
}

// quoteOVS makes a value one word for ovs-vsctl.
func quoteOVS(value string) string { return `"` + value + `"` }

// verifyOVS wants the switch to run with both ports in its bridge, without an error.
func (s *site) verifyOVS() []Step {
	list := []Step{s.runs(ovsdbPID, "the database's server"), s.runs(vswitchdPID, "the switch")}
	for _, port := range s.ports() {
		list = append(list,
			Step{Says: port + " is in our bridge", Run: s.vsctl("port-to-br", port), Want: is(bridge)},
			Step{
				Says: port + " works", Within: startPatience, Want: up,
				Run: s.vsctl("--bare", "--columns=error,ofport", "list", "interface", port),
			})
	}
	return append(list, Step{Says: "the bridge forwards as a switch", Run: s.ofctl("dump-flows"), Want: contains("NORMAL"), Within: startPatience})
}

// up takes the columns error and ofport, which is -1 for a port that the datapath does not have.
func up(out string) error {
	fields := strings.Fields(out)
	if len(fields) != 1 || fields[0] == "-1" {
		return fmt.Errorf("found %q, allowed: a number and no error", shorten(out))
	}
	return nil
}
