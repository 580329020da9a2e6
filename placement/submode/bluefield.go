package submode

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/placement/submode/card"
	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/step"
)

// blueFieldOffPath is a card in off-path mode, in which it forwards nothing.
var blueFieldOffPath = &datapath{
	name: "none", target: BlueField, submodes: []string{OffPath},
	title: "host and DPU are peers on the network", forwarder: blueFieldOffPathForwarder{
		mode: card.Separated, title: "separated host (off-path)",
	},
}

// blueFieldOffPathSF is a card in DPU mode, on which dpukv sets nothing up. Host and Arm have ends
// of their own, and the system's switch decides between them and the wire.
var blueFieldOffPathSF = &datapath{
	name: "none", target: BlueField, submodes: []string{OffPathSF},
	title: "host and Arm behind one eSwitch", forwarder: blueFieldOffPathForwarder{
		mode: card.DPU, title: "DPU (off-path-sf)",
	},
}

// blueFieldOffPathForwarder only checks the card's mode.
type blueFieldOffPathForwarder struct {
	noForwarder
	mode  card.Mode
	title string
}

func (f blueFieldOffPathForwarder) Check(s *setup) []step.Step {
	return []step.Step{{
		Purpose: "the card's mode: " + f.title, Run: card.Query(s.PCI),
		Expect: inMode(f.mode),
		Advice: card.HowTo(s.PCI, f.mode),
	}}
}

// checkCard checks the mode. A change of mode takes a power cycle, and no command here changes it.
func checkCard(s *setup) []step.Step {
	return []step.Step{
		{
			Purpose: "root's rights", Run: []string{"id", "-u"}, Expect: step.Is("0"),
			Advice: "let commands run as root there: sudo: true for the node, or user: root",
		},
		{
			Purpose: "the card's mode: embedded CPU (on-path)", Run: card.Query(s.PCI),
			Expect: inMode(card.DPU),
			Advice: card.HowTo(s.PCI, card.DPU),
		},
		{
			Purpose: "the eSwitch in switchdev mode",
			Run:     []string{"devlink", "dev", "eswitch", "show", "pci/" + s.PCI},
			Expect:  inSwitchdev,
			Advice:  "by hand: devlink dev eswitch set pci/" + s.PCI + " mode switchdev",
		},
		{
			Purpose: "both ports, of one MTU", Run: []string{"ip", "-d", "-j", "link", "show"},
			Expect: iplink.Check(s.Ports.checkCard),
			Advice: "one MTU for both: ip link set dev PORT mtu N",
		},
	}
}

// keepMTU restores the ports' MTU at the end. DPDK sets it through the kernel's own driver, and so
// it outlives the program.
func keepMTU(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: "the MTU of " + port,
			State:   []string{"cat", "/sys/class/net/" + port + "/mtu"}, Restore: true,
			Port: port,
			Undo: []string{"ip", "link", "set", "dev", port, "mtu", step.AsFound},
		})
	}
	return list
}

// inSwitchdev expects the mode itself, and not switchdev_inactive, in which the eSwitch drops all.
func inSwitchdev(out string) error {
	words := strings.Fields(out)
	if i := slices.Index(words, "mode"); i >= 0 && i+1 < len(words) && words[i+1] == "switchdev" {
		return nil
	}
	return fmt.Errorf("found %q, allowed: mode switchdev", step.Shorten(out))
}

func (p Ports) checkCard(all iplink.Links) error {
	for _, port := range p.names() {
		switch l, ok := all[port]; {
		case !ok:
			return fmt.Errorf("found no interface %s: is this the DPU, and not its host?", port)
		case l.Master != "" && l.Master != "ovs-system":
			return fmt.Errorf("found %s in %s, as for VF-LAG, allowed: a port of its own; to do, "+
				"by hand: ip link set dev %[1]s nomaster", port, l.Master)
		}
	}
	return all.SameMTU(p.Wire, p.Host)
}

// inMode expects a card whose current mode is the allowed one.
func inMode(allowed card.Mode) func(out string) error {
	return func(out string) error {
		c, err := card.Parse(out)
		if err != nil {
			return err
		}
		return c.Check(allowed)
	}
}

// takePorts takes the card's ports out of the bridges that DOCA's images put them into. The undo
// puts them back.
func takePorts(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, systemSwitch.TakePort(port))
	}
	return list
}
