package submode

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// blueField are the study's own datapaths, on the card.
func blueField() []*datapath {
	one := func(name, submode, is string, steps func(*site) []Step, count func(context.Context, *site, Node, *Evidence) error) *datapath {
		return &datapath{
			name: name, target: BlueField, submodes: []string{submode}, is: is, filters: true,
			has: (*site).hasCard, steps: steps, verify: (*site).verifyCard, count: count,
			pidFiles: []string{"/var/run/openvswitch/ovs-vswitchd.pid"}, inKernel: submode != SM2,
		}
	}
	testpmd := one("testpmd", SM3, "dpdk-testpmd, io forwarding on the Arm cores", (*site).cardTestpmd, countTestpmd)
	testpmd.filters, testpmd.pidFiles, testpmd.inKernel, testpmd.verify = false, []string{testpmdPID}, false, (*site).verifyTestpmd
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

func (s *site) mlxconfig() []string {
	return []string{"mlxconfig", "-d", s.cfg.PCI, "-e", "query", "INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE"}
}

// cardMode reads a value that mlxconfig shows. With -e the columns are default, current, next boot; newer ones write a name with the number.
func cardMode(out, key string) (current string, err error) {
	for line := range strings.Lines(out) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		if len(f) >= 4 && f[0] == key {
			return mode(f[2]), nil
		}
	}
	return "", fmt.Errorf("mlxconfig: found no %s: %s", key, shorten(out))
}

var inBrackets = regexp.MustCompile(`\((\d+)\)$`)

func mode(value string) string {
	if m := inBrackets.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return value
}

func onPathMode(out string) error {
	model, err := cardMode(out, "INTERNAL_CPU_MODEL")
	if err != nil {
		return err
	}
	engine, err := cardMode(out, "INTERNAL_CPU_OFFLOAD_ENGINE")
	switch {
	case err != nil:
		return err
	case engine != "0":
		return errors.New("found the NIC mode (INTERNAL_CPU_OFFLOAD_ENGINE=1), in which the Arm cores have no part, allowed: embedded CPU (0)")
	case model != "1":
		return errors.New("found the separated-host mode (INTERNAL_CPU_MODEL=0: off-path), allowed: embedded CPU (1)")
	}
	return nil
}

// separated wants the mode of off-path.
func (s *site) separated() []Step {
	return []Step{{
		Says: "the card's mode: separated host (off-path)", Run: s.mlxconfig(),
		Want: func(out string) error {
			model, err := cardMode(out, "INTERNAL_CPU_MODEL")
			if err == nil && model != "0" {
				err = errors.New("found the embedded-CPU mode (INTERNAL_CPU_MODEL=1: on-path), allowed: separated host (0)")
			}
			return err
		},
		Else: "by hand, then a power cycle of the host: mst start; mlxconfig -d " + s.cfg.PCI + " set INTERNAL_CPU_MODEL=0",
	}}
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

// otherConfig sets a key of the system's Open vSwitch and restores what was there.
func otherConfig(key, value string) Step {
	return Step{
		Says: "Open vSwitch's " + key, Run: []string{"ovs-vsctl", "set", "Open_vSwitch", ".", "other_config:" + key + "=" + quoteOVS(value)},
		Found: sh(`ovs-vsctl --if-exists get Open_vSwitch . other_config:"$1"`, key),
		Undo: sh(`if test -n "$2"; then ovs-vsctl set Open_vSwitch . other_config:"$1"="$2"; else ovs-vsctl remove Open_vSwitch . other_config "$1"; fi`,
			key, AsFound),
	}
}

// restart is needed for what the switch reads only once. Undone first set up, it comes last when everything is taken back.
func restart(when string) Step {
	command := sh(`systemctl restart openvswitch-switch 2>/dev/null || systemctl restart openvswitch`)
	if when == "undo" {
		return Step{Says: "Open vSwitch anew, once all is taken back", Undo: command}
	}
	return Step{Says: "Open vSwitch anew, with this configuration", Run: command}
}

func (s *site) hwOffload() Step {
	return otherConfig("hw-offload", map[bool]string{true: "true", false: "false"}[s.offloads()])
}

// tcOffload lets the ports' own drivers take rules, or not.
func (s *site) tcOffload() []Step {
	var list []Step
	for _, port := range s.ports() {
		list = append(list, Step{
			Says:  "hw-tc-offload of " + port,
			Run:   []string{"ethtool", "-K", port, "hw-tc-offload", map[bool]string{true: "on", false: "off"}[s.offloads()]},
			Found: sh(`ethtool -k "$1" | sed -n 's/^hw-tc-offload: \(o[nf]*\).*/\1/p'`, port),
			Undo:  []string{"ethtool", "-K", port, "hw-tc-offload", AsFound},
		})
	}
	return list
}

// cardBridge makes our bridge in the system's Open vSwitch.
func (s *site) cardBridge(datapathType string, port func(name string) []string) Step {
	args := []string{"ovs-vsctl", "--timeout=30", "add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=" + datapathType, "fail_mode=standalone", owned}
	for _, name := range s.ports() {
		args = append(args, "--", "add-port", bridge, name)
		if port != nil {
			args = append(append(args, "--", "set", "interface", name), port(name)...)
		}
	}
	return Step{
		Says: "a bridge of ours between the ports", Run: args,
		Undo: sh(`test "$(ovs-vsctl --if-exists get bridge "$1" external_ids:dpukv)" != submode || ovs-vsctl del-br "$1"`, bridge),
	}
}

// cardKernel is SM1 and, offloaded, SM4.
func (s *site) cardKernel() []Step {
	list := []Step{restart("undo"), s.hwOffload()}
	list = append(list, s.tcOffload()...)
	return append(list, restart("now"), s.cardBridge("system", nil))
}

// cardDPDK is SM2 and, offloaded, SM5.
func (s *site) cardDPDK() []Step {
	representor := func(list string) string {
		return s.cfg.PCI + ",representor=" + list + ",dv_flow_en=1,dv_xmeta_en=1,sys_mem_en=1"
	}
	port := func(name string) []string {
		devargs := s.cfg.PCI + ",dv_flow_en=1,dv_xmeta_en=1,sys_mem_en=1"
		if name == s.cfg.Ports.Host {
			devargs = representor("[65535]")
		}
		return []string{"type=dpdk", "options:dpdk-devargs=" + quoteOVS(devargs)}
	}
	return []Step{
		restart("undo"), s.hwOffload(),
		otherConfig("dpdk-init", "true"),
		otherConfig("dpdk-extra", "-a "+representor("[0,65535]")),
		otherConfig("pmd-cpu-mask", mask(s.polling())),
		restart("now"),
		s.cardBridge("netdev", port),
	}
}

// polling are the CPUs for threads that poll.
func (s *site) polling() []int {
	if len(s.cfg.CPUs) > 1 {
		return s.cfg.CPUs[1:]
	}
	return s.cfg.CPUs
}

func (s *site) cardTestpmd() []Step {
	argv := []string{
		"dpdk-testpmd", "-l", cpuList(s.cfg.CPUs), "-a", s.cfg.PCI + ",representor=[65535]", "--file-prefix=" + s.prefix(),
		"--", "-i", "--forward-mode=io", fmt.Sprintf("--nb-cores=%d", min(len(s.ports()), len(s.cfg.CPUs)-1)), "--total-num-mbufs=131000", "--auto-start",
	}
	return []Step{s.dpdkFiles(), s.startTestpmd(argv)}
}

func (s *site) hugePages() Step {
	return Step{
		Says: "512 free huge pages for its buffers", Run: []string{"cat", "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"},
		Want: func(out string) error {
			if len(out) < 3 || len(out) == 3 && out < "512" {
				return fmt.Errorf("found %s", out)
			}
			return nil
		},
		Else: "by hand: echo 2048 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
	}
}

func (s *site) verifyCard() []Step {
	list := []Step{}
	for _, port := range s.ports() {
		list = append(list,
			Step{Says: port + " is in our bridge", Run: []string{"ovs-vsctl", "port-to-br", port}, Want: is(bridge)},
			Step{
				Says: port + " works", Within: startPatience, Want: up,
				Run: []string{"ovs-vsctl", "--bare", "--columns=error,ofport", "list", "interface", port},
			})
	}
	return append(list, Step{
		Says: "hw-offload as asked for", Run: []string{"ovs-vsctl", "get", "Open_vSwitch", ".", "other_config:hw-offload"},
		Want: is(`"` + map[bool]string{true: "true", false: "false"}[s.offloads()] + `"`),
	})
}

// dumped are the packets of the system's Open vSwitch in flows that are offloaded, or are not.
func dumped(ctx context.Context, n Node, kind string) (map[string]uint64, error) {
	out, err := n.Run(ctx, []string{"ovs-appctl", "--timeout=10", "dpctl/dump-flows", "-m", "type=" + kind})
	if err != nil {
		return nil, err
	}
	return parseFlows(out, ""), nil
}

func countCardOffloaded(ctx context.Context, _ *site, n Node, e *Evidence) (err error) {
	return countCard(ctx, n, e, "offloaded", "non-offloaded")
}

func countCardSoftware(ctx context.Context, _ *site, n Node, e *Evidence) (err error) {
	return countCard(ctx, n, e, "non-offloaded", "offloaded")
}

func countCard(ctx context.Context, n Node, e *Evidence, right, wrong string) (err error) {
	if e.Flows, err = dumped(ctx, n, right); err != nil {
		return err
	}
	e.Stray, err = dumped(ctx, n, wrong)
	return err
}
