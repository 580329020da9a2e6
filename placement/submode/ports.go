package submode

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/step"
)

// checkPorts looks for the requirements of every datapath between two interfaces.
func checkPorts(ports Ports) []step.Step {
	list := []step.Step{
		{
			Purpose: "root's rights over interfaces", Run: []string{"id", "-u"},
			Expect: step.Is("0"),
			Advice: "run dpukv as root",
		},
		{
			Purpose: "two interfaces, of one MTU, that nothing uses",
			Run:     []string{"ip", "-d", "-j", "link", "show"},
			Expect:  iplink.Check(ports.checkFree),
			Advice: "name the interfaces to forward between; free them of bridges and programs, " +
				"or give dpukv two others",
		},
	}
	for _, port := range ports.names() {
		list = append(list, step.Step{
			Purpose: "no filter of somebody else on " + port,
			Run:     []string{"tc", "filter", "show", "dev", port, "ingress"}, Expect: step.Empty,
			Advice: "tc qdisc del dev " + port + " ingress, if nobody needs it",
		})
	}
	return list
}

// checkFree refuses ports that are in use.
func (p Ports) checkFree(all iplink.Links) error {
	for _, port := range p.names() {
		switch l, ok := all[port]; {
		case !ok:
			return fmt.Errorf("found no interface %s, there are: %s", port, all.Names())
		case l.Master != "":
			return fmt.Errorf("found %s in %s", port, l.Master)
		case l.XDP != nil:
			return fmt.Errorf("found an XDP program on %s", port)
		}
	}
	return all.SameMTU(p.Wire, p.Host)
}

// preparePorts brings the ports up, and makes them accept packets for others.
func preparePorts(ports Ports) (list []step.Step) {
	for _, port := range ports.names() {
		list = append(list,
			setFlag(port, "up", "up", "down", "UP"),
			setFlag(port, "promisc on", "on", "off", "PROMISC"))
	}
	return list
}

// setFlag sets one of an interface's flags and restores it.
func setFlag(port, set, on, off, shown string) step.Step {
	words := append([]string{"ip", "link", "set", "dev", port}, strings.Fields(set)...)
	return step.Step{
		Purpose: port + " " + set, Run: words,
		State: step.Shell(`case "$(ip link show dev "$1")" in *[\<,]"$2"[,\>]*) echo "$3" ;; `+
			`*) echo "$4" ;; esac`, port, shown, on, off),
		Sets: on,
		Undo: append(slices.Clone(words[:len(words)-1]), step.AsFound), Port: port,
	}
}

// verifyPorts expects both ports to be there and to have a link.
func verifyPorts(ports Ports) (list []step.Step) {
	for _, port := range ports.names() {
		list = append(list, step.Step{
			Purpose: port + " is up and has a link", Run: []string{"ip", "-j", "link", "show"},
			Expect: iplink.Check(func(all iplink.Links) error { return all.Up(port) }),
		})
	}
	return list
}

// ingress makes a place for filters on a port's incoming packets. If there was none before, undo
// removes it, unless somebody has a filter there.
func ingress(port string) step.Step {
	return step.Step{
		Purpose: "a place for filters on what comes in at " + port,
		Run: step.Shell(
			`test -n "$(tc qdisc show dev "$1" ingress)" || exec tc qdisc add dev "$1" ingress`,
			port),
		State: step.Shell(
			`case $(tc qdisc show dev "$1" ingress) in "") echo none ;; *) echo there ;; esac`,
			port),
		Sets: "there",
		Undo: removeEmptyIngress(port), Port: port,
	}
}

// removeEmptyIngress removes a port's place for filters, if it is empty.
func removeEmptyIngress(port string) []string {
	return step.Shell(`
test -z "$(tc filter show dev "$1" ingress)$(tc filter show dev "$1" egress 2>/dev/null)" || exit 0
tc qdisc del dev "$1" ingress 2>/dev/null || tc qdisc del dev "$1" clsact 2>/dev/null || :`, port)
}
