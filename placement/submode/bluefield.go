package submode

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/step"
)

// blueFieldOffPath is a card in off-path mode, in which it forwards nothing.
var blueFieldOffPath = &datapath{
	name: "none", target: BlueField, submodes: []string{OffPath},
	title: "host and DPU are peers on the network", forwarder: blueFieldOffPathForwarder{},
}

type blueFieldOffPathForwarder struct{ noForwarder }

func (blueFieldOffPathForwarder) Check(s *setup) []step.Step {
	return []step.Step{{
		Purpose: "the card's mode: separated host (off-path)", Run: mlxconfig(s),
		Expect: offPathMode,
		Advice: "by hand, then a power cycle of the host: mst start; mlxconfig -d " + s.PCI +
			" set INTERNAL_CPU_MODEL=0",
	}}
}

// checkCard checks the mode. A change of mode takes a power cycle, and no command here changes it.
func checkCard(s *setup) []step.Step {
	list := []step.Step{
		{
			Purpose: "root's rights", Run: []string{"id", "-u"}, Expect: step.Is("0"),
			Advice: "log in to the DPU as root (user: root)",
		},
		{
			Purpose: "the card's mode: embedded CPU (on-path)", Run: mlxconfig(s),
			Expect: onPathMode,
			Advice: "by hand, then a power cycle of the host: mst start; mlxconfig -d " + s.PCI +
				" set INTERNAL_CPU_MODEL=1 INTERNAL_CPU_PAGE_SUPPLIER=0 " +
				"INTERNAL_CPU_ESWITCH_MANAGER=0 INTERNAL_CPU_IB_VPORT0=0 " +
				"INTERNAL_CPU_OFFLOAD_ENGINE=0",
		},
		{
			Purpose: "the eSwitch in switchdev mode",
			Run:     []string{"devlink", "dev", "eswitch", "show", "pci/" + s.PCI},
			Expect:  step.Contains("mode switchdev"),
			Advice:  "by hand: devlink dev eswitch set pci/" + s.PCI + " mode switchdev",
		},
		{
			Purpose: "both ports, of one MTU", Run: []string{"ip", "-d", "-j", "link", "show"},
			Expect: func(out string) error { return checkCardPorts(out, s.Ports) },
			Advice: "one MTU for both: ip link set dev PORT mtu N",
		},
	}
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: port + " is in nobody's bridge",
			Run:     step.Shell(`ovs-vsctl port-to-br "$1" 2>/dev/null || :`, port),
			Expect:  step.Empty,
			Advice: "take it out and remember to put it back: ovs-vsctl del-port BRIDGE " + port +
				" (DOCA's images have it in ovsbr1)",
		})
	}
	return list
}

func checkCardPorts(out string, ports Ports) error {
	all, err := iplink.Parse(out)
	if err != nil {
		return err
	}
	for _, port := range ports.names() {
		if _, ok := all[port]; !ok {
			return fmt.Errorf("found no interface %s: is this the DPU, and not its host?", port)
		}
	}
	return all.SameMTU(ports.Wire, ports.Host)
}

func mlxconfig(s *setup) []string {
	return []string{
		"mlxconfig", "-d", s.PCI, "-e", "query", "INTERNAL_CPU_MODEL",
		"INTERNAL_CPU_OFFLOAD_ENGINE",
	}
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
		return errors.New("found the NIC mode (INTERNAL_CPU_OFFLOAD_ENGINE=1), " +
			"in which the Arm cores have no part, allowed: embedded CPU (0)")
	case model != "1":
		return errors.New("found the separated-host mode (INTERNAL_CPU_MODEL=0: off-path), " +
			"allowed: embedded CPU (1)")
	}
	return nil
}

func offPathMode(out string) error {
	model, err := cardMode(out, "INTERNAL_CPU_MODEL")
	if err == nil && model != "0" {
		err = errors.New("found the embedded-CPU mode (INTERNAL_CPU_MODEL=1: on-path), " +
			"allowed: separated host (0)")
	}
	return err
}

// cardMode reads a value from mlxconfig's output. With -e the columns are default, current, next
// boot. Newer versions print a name with the number.
func cardMode(out, key string) (current string, err error) {
	for line := range strings.Lines(out) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		if len(f) < 4 || f[0] != key {
			continue
		}
		if m := inBrackets.FindStringSubmatch(f[2]); m != nil {
			return m[1], nil
		}
		return f[2], nil
	}
	return "", fmt.Errorf("mlxconfig: found no %s: %s", key, step.Shorten(out))
}

var inBrackets = regexp.MustCompile(`\((\d+)\)$`)
