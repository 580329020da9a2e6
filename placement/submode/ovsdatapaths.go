package submode

import (
	"fmt"
	"slices"
	"strings"
)

func (s *site) netdevSteps() []Step {
	add := s.addBridge("netdev", nil)
	add[0].Run = roomy(add[0].Run)
	add[0].Says += ", its sockets with 8 MB each where the machine's first network namespace, which sets that, is in reach"
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
		list = append(list,
			Step{
				Says: "the place for rules on " + port + ", removed at the end if it is empty",
				Undo: withoutFilters(port), Port: port,
			},
			// Open vSwitch gives each action of its rules a cookie: the rule's UUID.
			Step{
				Says: "Open vSwitch's rules in traffic control on " + port + ", removed at the end",
				Undo: sh(`
tc filter show dev "$1" ingress | awk '
	/^filter / { rule = "" }
	/^filter / && $6 == "flower" && $9 == "handle" {
		rule = "protocol " $3 " pref " $5 " chain " $8 " handle " $10 " flower"
	}
	/^[ \t]*cookie [0-9a-f]+/ && length($2) == 32 && rule != "" { print rule; rule = "" }' |
while read -r rule; do
	tc filter del dev "$1" ingress $rule || :
done`, port),
				Port: port,
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
		"dpdk-init=true", "dpdk-lcore-mask=" + mask(house), "pmd-cpu-mask=" + mask(poll), fmt.Sprintf("pmd-maxsleep=%d", s.cfg.MaxSleep.Microseconds()),
		"dpdk-extra=" + quoteOVS("--no-huge --legacy-mem --no-pci --iova-mode=va -m 512 --file-prefix="+s.prefix()+" --no-telemetry"),
	}
	port := func(name string) []string {
		devargs := fmt.Sprintf("net_af_packet_%s,iface=%s,framesz=2048,framecnt=8192,blocksz=65536,qdisc_bypass=1", name, name)
		if s.driver() == "af_xdp" {
			devargs = fmt.Sprintf("net_af_xdp_%s,iface=%s", name, name)
		}
		return []string{"type=dpdk", "options:dpdk-devargs=" + quoteOVS(devargs), "options:n_rxq=1"}
	}
	return slices.Concat(s.xdpFree(), s.startOVS(dpdkOVS, false, config...), s.addBridge("netdev", port))
}

// prefix sets apart the files of DPDK processes.
func (s *site) prefix() string {
	return "dpukv-" + s.dir[strings.LastIndexByte(s.dir, '/')+1:]
}

// quoteOVS makes a value one word for ovs-vsctl.
func quoteOVS(value string) string { return `"` + value + `"` }
