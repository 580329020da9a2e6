package submode

import (
	"fmt"
)

// otherConfig sets a key of the system's Open vSwitch and restores what was there.
func otherConfig(key, value string) Step {
	return Step{
		Says: "Open vSwitch's " + key, Run: []string{"ovs-vsctl", "set", "Open_vSwitch", ".", "other_config:" + key + "=" + quoteOVS(value)},
		Found: sh(`ovs-vsctl --if-exists get Open_vSwitch . other_config:"$1"`, key),
		Sets:  quoteOVS(value),
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
			Sets:  map[bool]string{true: "on", false: "off"}[s.offloads()],
			Undo:  []string{"ethtool", "-K", port, "hw-tc-offload", AsFound}, Port: port,
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
	return []Step{s.startTestpmd(argv)}
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
