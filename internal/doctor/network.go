package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dpukv/internal/cpu"
)

// nics are the network interfaces that are up and, to this machine's knowledge, hardware.
func (p *patient) nics() (names []string) {
	for _, device := range p.glob("sys/class/net/*/device") {
		dir := path.Dir(device)
		if p.read(dir+"/operstate") != "down" {
			names = append(names, path.Base(dir))
		}
	}
	return names
}

func offloads(p *patient) Finding {
	nics := p.nics()
	if len(nics) == 0 {
		return ok("no NIC")
	}
	var found, mend []string
	for _, nic := range nics {
		off, err := p.features(nic)
		if err != nil {
			return unknown(fmt.Sprintf("%s does not tell its features: %v", nic, err))
		}
		if off != nil {
			found = append(found, fmt.Sprintf("%s without %s", nic, strings.Join(off, ", ")))
			mend = append(mend, fmt.Sprintf("sudo ethtool -K %s %s on", nic,
				strings.Join(off, " on ")))
		}
	}
	if found == nil {
		return ok(strings.Join(nics, ", ") + ": segmentation, coalescing and checksums")
	}
	return spoils(strings.Join(found, "; "),
		"the CPU cuts, joins or sums packets that the NIC could", mend...)
}

func irqs(p *patient) Finding {
	for _, comm := range p.glob("proc/[0-9]*/comm") {
		if p.read(comm) == "irqbalance" {
			return spoils("irqbalance runs",
				"interrupts move between CPUs, onto those that measure too",
				"sudo systemctl stop irqbalance")
		}
	}
	var seen, mend []string
	for _, nic := range p.nics() {
		numbers := p.nicIRQs(nic)
		cpus := p.affinity(numbers)
		if cpus == nil {
			return unknown(fmt.Sprintf("the CPUs that take the interrupts of %s cannot be read",
				nic))
		}
		seen = append(seen, fmt.Sprintf("%s: CPUs %s", nic, cpu.FormatList(cpus)))
		if len(cpus) == 1 && len(numbers) > 1 && p.facts.CPUs > 1 {
			mend = append(mend, fmt.Sprintf(
				"i=0; for n in %s; do echo $((i++ %% %d)) | sudo tee "+
					"/proc/irq/$n/smp_affinity_list; done   # better still: leave out the CPUs "+
					"that measure",
				strings.Join(numbers, " "), p.facts.CPUs))
		}
	}
	switch {
	case seen == nil:
		return ok("no NIC")
	case mend == nil:
		return ok(strings.Join(seen, ", "))
	}
	return spoils(strings.Join(seen, ", "), "one CPU takes every interrupt of the NIC", mend...)
}

// nicIRQs are the numbers of a NIC's interrupts.
func (p *patient) nicIRQs(nic string) (numbers []string) {
	device := "sys/class/net/" + nic + "/device"
	for _, irq := range p.glob(device + "/msi_irqs/*") {
		numbers = append(numbers, path.Base(irq))
	}
	if numbers != nil {
		return numbers
	}
	// The interrupts of virtio NICs stand at the bus above, but carry the device's name.
	link, err := fs.ReadLink(p.fs, device)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(p.read("proc/interrupts")) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		if fields := strings.Fields(rest); len(fields) > 0 &&
			isQueue(fields[len(fields)-1], path.Base(link)) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// isQueue reports whether an interrupt is one of a virtio device's queues.
func isQueue(name, device string) bool {
	queue, found := strings.CutPrefix(name, device+"-")
	return found && queue != "config" && queue != "control"
}

// affinity lists the CPUs that take these interrupts. It is nil if the affinity of one is unknown.
func (p *patient) affinity(numbers []string) (cpus []int) {
	for _, n := range numbers {
		list := p.read("proc/irq/" + n + "/effective_affinity_list")
		if list == "" { // an interrupt that was not asked for yet has none
			list = p.read("proc/irq/" + n + "/smp_affinity_list")
		}
		some, err := cpu.ParseList(list)
		if err != nil {
			return nil
		}
		cpus = append(cpus, some...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

var errNotAllowed = errors.New("only root may look: sudo dpukv doctor")

func firewall(p *patient) Finding {
	const effect = "every packet passes its rules; the more connections, the slower"
	const stop = "sudo systemctl stop %s   # only where the network is trusted; start it again " +
		"afterwards"
	if count := p.read("proc/sys/net/netfilter/nf_conntrack_count"); count != "" && count != "0" {
		return spoils("connection tracking follows "+count+" connections", effect,
			fmt.Sprintf(stop, "nftables   # or firewalld, ufw, docker"))
	}
	if tables := strings.Fields(p.read("proc/net/ip_tables_names")); len(tables) > 0 {
		return spoils("iptables has the tables "+strings.Join(tables, ", "), effect,
			fmt.Sprintf(stop, "iptables   # or firewalld, ufw, docker"))
	}
	ruleset, err := p.chains()
	if err != nil {
		return unknown(err.Error())
	}
	if hooks := hookedChains(ruleset); len(hooks) > 0 {
		return spoils("nftables looks at packets at "+strings.Join(hooks, ", "), effect,
			fmt.Sprintf(stop, "nftables   # or firewalld, ufw, docker"))
	}
	return ok("none")
}

// hookedChains are the hooks on a packet's path for which nftables has chains, from the output of
// "nft list chains":
//
//	chain input { type filter hook input priority filter; policy accept; }
func hookedChains(ruleset string) (hooks []string) {
	for line := range strings.Lines(ruleset) {
		words := strings.Fields(line)
		i := slices.Index(words, "hook")
		if i < 0 || i+1 == len(words) || words[0] != "type" || slices.Contains(hooks, words[i+1]) {
			continue
		}
		hooks = append(hooks, words[i+1])
	}
	return hooks
}

const (
	orderKey = "PCI_WR_ORDERING" // of the firmware: per_mkey(0), force_relax(1)
	// placeKey is a variable that lets a NIC place the packets of a WRITE as they come.
	placeKey = "MLX5_RELAXED_PACKET_ORDERING_ON"
	// nicVendor is the PCI vendor of BlueField and ConnectX.
	nicVendor = "0x15b3"
)

// writeOrder looks for what lets a NIC make the bytes of a WRITE visible in any order. By default a
// region decides, and dpukv's regions ask for the strict order.
func writeOrder(p *patient) Finding {
	var found, mend, unread, told []string
	environment := strings.ReplaceAll(p.read("proc/self/environ"), "\x00", "\n")
	for line := range strings.Lines(p.read("etc/infiniband/mlx5.conf") + "\n" + environment) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, placeKey+"=") {
			found = append(found, line)
			mend = append(mend,
				"unset "+placeKey+"   # and remove it from /etc/infiniband/mlx5.conf")
		}
	}
	for _, nic := range p.nics() {
		device := "sys/class/net/" + nic + "/device"
		if p.read(device+"/vendor") != nicVendor {
			continue
		}
		link, err := fs.ReadLink(p.fs, device)
		pci := path.Base(link)
		if err == nil && !strings.HasSuffix(pci, ".0") {
			continue // the first function tells of the card
		}
		value, err := p.setting(pci, orderKey)
		switch {
		case err != nil:
			unread = append(unread, fmt.Sprintf("%s of %s: %v", orderKey, nic, err))
		case strings.Contains(value, "force_relax") || value == "1":
			found = append(found, fmt.Sprintf("%s of %s is %s", orderKey, nic, value))
			mend = append(mend, fmt.Sprintf("sudo mlxconfig -d %s set %s=0   # then a reboot", pci,
				orderKey))
		default:
			told = append(told, fmt.Sprintf("%s of %s: %s", orderKey, nic,
				cmp.Or(value, "not in this firmware")))
		}
	}
	switch {
	case found != nil:
		return spoils(strings.Join(found, "; "), "a reader of RDMA WRITEs that relies on their "+
			"order finds torn messages", mend...)
	case unread != nil:
		return unknown(strings.Join(unread, "; "))
	case told != nil:
		return ok(strings.Join(told, "; "))
	}
	return ok("no NIC of the vendor " + nicVendor)
}
