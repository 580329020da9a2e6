package cardreport

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"dpukv/placement/submode/card"
)

// The verdicts of a finding.
const (
	OK      = "ok"
	Refused = "refused" // dpukv would fail, or measure something else
	Unknown = "unknown"
	Fact    = "fact" // for a reader to know
)

// Finding is one check of a node.
type Finding struct {
	Check, Verdict, Found string
	Mend                  []string // commands
}

// Role is what a testbed wants of a node.
type Role struct {
	DPU        bool
	Emulated   bool   // on namespaces: no card is expected
	Address    string // where the others reach its server
	PCI        string // of a DPU's card
	Wire, Host string // a DPU's ports
	RDMA       string // its device: "softroce", "mlx5_0", "": none asked
}

// Examine compares a node's facts with its role.
func (f *Facts) Examine(r *Role) []Finding {
	e := examiner{f: f, r: r}
	e.system()
	e.cards()
	e.address()
	e.rdma()
	if r.DPU && !r.Emulated {
		e.ports()
		e.login()
		e.ovs()
	}
	return e.list
}

type examiner struct {
	f    *Facts
	r    *Role
	list []Finding
}

func (e *examiner) add(check, verdict, found string, mend ...string) {
	e.list = append(e.list, Finding{check, verdict, found, mend})
}

func (e *examiner) system() {
	f := e.f
	e.add("release", Fact, cmp.Or(strings.TrimSpace(f.Release+" "+f.Image), "unknown"))
	e.add("kernel", Fact, fmt.Sprintf("%s, pages of %d KiB", f.Kernel, f.PageBytes>>10))
	var sizes []string
	for _, p := range f.Pools {
		sizes = append(sizes,
			fmt.Sprintf("%d of %d × %d MiB free", p.Free, p.Total, p.PageBytes>>20))
	}
	e.add("huge pages", Fact, cmp.Or(strings.Join(sizes, ", "), "no pools"))
	switch {
	case f.Root:
		e.add("root", OK, "commands run as root")
	case e.r.DPU && !e.r.Emulated:
		e.add("root", Refused, "commands do not run as root, allowed for a submode: as root",
			"# in the testbed file, for this node: sudo: true")
	default:
		e.add("root", Fact, "commands do not run as root")
	}
}

func (e *examiner) cards() {
	if len(e.f.Cards) == 0 {
		const none = "no network card of the vendor 15b3"
		if e.r.DPU && !e.r.Emulated {
			e.add("card", Refused, none+", allowed: one; is this the DPU?", "lspci -d 15b3:")
		} else {
			e.add("card", Fact, none)
		}
	}
	for i := range e.f.Cards {
		e.card(&e.f.Cards[i])
	}
}

func (e *examiner) card(c *Card) {
	what, generation := "card "+c.PCI, "no BlueField"
	if c.ModeError != "" {
		generation = "of an unknown generation"
	}
	e.add(what, Fact, strings.Join(strings.Fields(fmt.Sprintf("%s, firmware %s",
		cmp.Or(c.Generation, generation), cmp.Or(c.Firmware, "unknown"))), " "))
	switch {
	case c.ModeError != "" && c.Generation == "" && !e.r.DPU:
	case c.ModeError != "":
		e.add(what+" mode", Unknown, c.ModeError, "mst start",
			"mlxconfig -d "+c.PCI+" -e query INTERNAL_CPU_MODEL INTERNAL_CPU_OFFLOAD_ENGINE")
	default:
		found := fmt.Sprintf("%s now; %s after the next power cycle; %s by default",
			c.Current.Title(), c.NextBoot.Title(), c.Default.Title())
		if c.Current == card.NIC {
			e.add(what+" mode", Refused, found+"; allowed: a mode in which the Arm cores take part",
				"mlxconfig -d "+c.PCI+" set INTERNAL_CPU_OFFLOAD_ENGINE=0",
				"# then a power cycle of the host")
			return
		}
		e.add(what+" mode", Fact, found)
	}
	if c.ESwitch != "" && e.r.DPU && c.PCI == e.r.PCI {
		if c.Current == card.DPU && c.ESwitch != "switchdev" {
			e.add("eSwitch", Refused, "mode "+c.ESwitch+", allowed for a submode: switchdev",
				"devlink dev eswitch set pci/"+c.PCI+" mode switchdev")
		} else {
			e.add("eSwitch", Fact, "mode "+c.ESwitch)
		}
	}
}

// address refuses ports for management as data ports: tmfifo_net0 is slow, oob_net0 1 Gb/s.
func (e *examiner) address() {
	if e.r.Address == "" {
		return
	}
	l := e.f.WithAddress(e.r.Address)
	switch {
	case l == nil:
		e.add("address", Unknown, e.r.Address+" is a name, or no interface has it", "ip address")
	case strings.HasPrefix(l.Name, "tmfifo") || strings.HasPrefix(l.Name, "oob"):
		e.add("address", Refused, fmt.Sprintf("%s is that of %s, a port for management, "+
			"allowed: a port of the card", e.r.Address, l.Name),
			"ip address add ADDRESS/24 dev "+cmp.Or(e.r.Wire, "PORT")+
				" # and it as address in the testbed file")
	default:
		e.add("address", OK, strings.Join(strings.Fields(fmt.Sprintf("%s at %s %s %s MTU %d",
			e.r.Address, l.Name, l.Driver, speed(l.SpeedMbps), l.MTU)), " "))
	}
}

func speed(mbps int) string {
	if mbps <= 0 {
		return ""
	}
	return fmt.Sprintf("%g Gb/s", float64(mbps)/1000)
}

func (e *examiner) rdma() {
	f := e.f
	switch {
	case f.Memlock == "":
		e.add("memlock", Unknown, "no limit found")
	case f.Memlock != "unlimited" && !f.Root && e.r.RDMA != "" && e.r.RDMA != "softroce":
		e.add("memlock", Refused, f.Memlock+" KiB, allowed for a NIC's verbs: unlimited",
			`echo "* - memlock unlimited" | sudo tee /etc/security/limits.d/dpukv.conf`,
			"# then log in anew")
	default:
		e.add("memlock", OK, f.Memlock)
	}
	nic := e.r.RDMA != "" && !strings.HasPrefix(e.r.RDMA, "softroce") && e.r.RDMA != "shm"
	switch {
	case f.Verbs:
		e.add("ibverbs", OK, "libibverbs.so.1")
	case nic:
		e.add("ibverbs", Refused, "found no libibverbs.so.1, allowed for "+e.r.RDMA+": one",
			"sudo apt install libibverbs1 ibverbs-providers")
	default:
		e.add("ibverbs", Fact, "no libibverbs.so.1")
	}
	e.gids(nic)
	e.roce(nic)
	for i := range e.f.Cards {
		e.order(&e.f.Cards[i])
	}
}

// gids looks for the GID of the node's address on its device: packets of another GID take another
// way. InfiniBand has GIDs of another kind.
func (e *examiner) gids(nic bool) {
	device, _, _ := strings.Cut(strings.TrimPrefix(e.r.RDMA, "ibverbs:"), "/")
	var all []string
	own := false
	for _, g := range e.f.GIDs {
		if g.Type == "RoCE v2" {
			all = append(all, fmt.Sprintf("%s %d (%s)", g.Device, g.Index, g.Net))
			own = own || g.Device == device && g.isOf(e.r.Address)
		}
	}
	found := cmp.Or(strings.Join(all, ", "), "none")
	switch {
	case !nic || own:
		e.add("GIDs", Fact, "RoCE v2: "+found)
	case slices.Contains(e.f.InfiniBand, device):
		e.add("GIDs", Fact, device+" is InfiniBand")
	default:
		e.add("GIDs", Refused, fmt.Sprintf("found no RoCE v2 GID of %s on %s, but %s; allowed: one",
			e.r.Address, device, found), "rdma link # which device has the address' interface?",
			"ip address # that interface must be up")
	}
}

// isOf reports whether a GID is that of an address. A name may be that of any.
func (g *GID) isOf(address string) bool {
	want, err := netip.ParseAddr(address)
	if err != nil {
		return true
	}
	got, err := netip.ParseAddr(g.GID)
	return err == nil && got.Unmap() == want
}

// order tells what dpukv does not rely on: over a NIC, lanes are fenced, and HERD checks requests
// of more than a line.
func (e *examiner) order(c *Card) {
	found := strings.Join(c.WriteOrder, ", ")
	if found == "" {
		e.add("order of WRITEs of "+c.PCI, Unknown, "no "+orderKey+" and no state of PCIe read",
			"mlxconfig -d "+c.PCI+" -e query "+orderKey)
		return
	}
	e.add("order of WRITEs of "+c.PCI, Fact, found)
}

// roce looks who gets UDP 4791: with RoCE on, the NIC takes it, and softroce gets nothing. In DPU
// mode, the Arm's device is a scalable function's, which has a setting of its own.
func (e *examiner) roce(nic bool) {
	l := e.f.WithAddress(e.r.Address)
	for i := range e.f.Cards {
		c := &e.f.Cards[i]
		check := "RoCE of " + c.PCI
		switch {
		case c.RoCE == "":
			e.add(check, Unknown, "no answer of devlink", "devlink dev param show pci/"+c.PCI+
				" name enable_roce")
		case c.RoCE == "true" && strings.HasPrefix(e.r.RDMA, "softroce") && l != nil &&
			strings.HasPrefix(l.Driver, "mlx5"):
			e.add(check, Refused, "on, so the NIC takes UDP port 4791; allowed for softroce: off",
				"devlink dev param set pci/"+c.PCI+" name enable_roce value false cmode driverinit",
				"devlink dev reload pci/"+c.PCI)
		case c.RoCE == "false" && nic && !(e.r.DPU && c.Current == card.DPU):
			e.add(check, Refused, "off, allowed for "+e.r.RDMA+": on",
				"devlink dev param set pci/"+c.PCI+" name enable_roce value true cmode driverinit",
				"devlink dev reload pci/"+c.PCI)
		default:
			e.add(check, Fact, map[string]string{"true": "on", "false": "off"}[c.RoCE])
		}
	}
}

// ports looks for a DPU's ports: the uplink is p0, the host's representor pf0 or c1pf0 by its
// phys_port_name.
func (e *examiner) ports() {
	mtu := 0
	for _, p := range []struct{ title, name string }{
		{"wire port", e.r.Wire}, {"host port", e.r.Host},
	} {
		l := e.f.Link(p.name)
		if l == nil {
			e.missing(p.title, p.name)
			continue
		}
		found := fmt.Sprintf("%s, MTU %d", l.Name, l.MTU)
		if l.PortName != "" {
			found += ", phys_port_name " + l.PortName
		}
		switch bridge := e.f.OVS.BridgeOf(l.Name); {
		case mtu != 0 && l.MTU != mtu:
			e.add(p.title, Refused, fmt.Sprintf("%s; allowed: %d, as the wire port", found, mtu),
				fmt.Sprintf("ip link set dev %s mtu %d", l.Name, mtu))
		case bridge != "" && !e.dpuMode():
			e.add(p.title, Refused, found+"; in bridge "+bridge+", so that its address is dead, "+
				"allowed outside DPU mode: in none", "ovs-vsctl del-port "+bridge+" "+l.Name,
				`echo 'CREATE_OVS_BRIDGES="no"' >>/etc/mellanox/mlnx-ovs.conf # or a boot makes `+
					"the bridge anew")
		case bridge != "":
			e.add(p.title, OK, found+"; in bridge "+bridge+", from which apply takes it until undo")
		default:
			e.add(p.title, OK, found)
		}
		mtu = cmp.Or(mtu, l.MTU)
	}
}

func (e *examiner) missing(title, name string) {
	if !e.dpuMode() {
		e.add(title, Fact, "no interface "+name+", as the card is not in DPU mode")
		return
	}
	var others []string
	for _, l := range e.f.Links {
		if l.PortName != "" {
			others = append(others, l.Name+" ("+l.PortName+")")
		}
	}
	e.add(title, Refused, "found no interface "+name+", allowed: one of "+
		cmp.Or(strings.Join(others, ", "), "the card's ports"),
		"# in the testbed file, for this node: datapath: {wire: NAME, host: NAME}")
}

// dpuMode reports whether the card is in DPU mode, as far as is known.
func (e *examiner) dpuMode() bool {
	for i := range e.f.Cards {
		if c := &e.f.Cards[i]; c.PCI == e.r.PCI && c.ModeError == "" && c.Current != card.DPU {
			return false
		}
	}
	return true
}

// login refuses a way for ssh that a submode is about to change.
func (e *examiner) login() {
	l := e.f.WithAddress(e.f.Login)
	switch {
	case e.f.Login == "":
		e.add("way of ssh", Unknown, "no SSH_CONNECTION: via is not ssh, or it can't be read")
	case l == nil:
		e.add("way of ssh", Unknown, e.f.Login+" is no address of an interface here", "ip address")
	case e.changes(l.Name):
		e.add("way of ssh", Refused, fmt.Sprintf("ssh comes by %s, whose way a submode changes, "+
			"allowed: oob_net0, tmfifo_net0, or a port of another card", l.Name),
			"# in the testbed file, for this node: host: ADDRESS-OF-OOB, or jump: HOST and "+
				"host: 192.168.100.2",
			"dpukv testbed submode apply N --for 5m # undoes by itself if that can't be")
	default:
		e.add("way of ssh", OK, l.Name)
	}
}

// scalable matches the Arm's scalable function of the first port, as DOCA's images name it
// (enp3s0f0s0). Its packets pass that port's bridge.
var scalable = regexp.MustCompile(`^enp\d+s\d+f0s\d+$`)

// changes reports whether a submode takes an interface's way: a port, its bridge, or a function
// behind it.
func (e *examiner) changes(name string) bool {
	if name == e.r.Wire || name == e.r.Host || scalable.MatchString(name) {
		return true
	}
	bridge := e.f.OVS.BridgeOf(name)
	return bridge != "" && (bridge == e.f.OVS.BridgeOf(e.r.Wire) ||
		bridge == e.f.OVS.BridgeOf(e.r.Host))
}

func (e *examiner) ovs() {
	o := &e.f.OVS
	if o.Version == "" {
		e.add("Open vSwitch", Unknown, "no ovs-vsctl that answers: SM1, SM2, SM4 and SM5 can't run",
			"sudo apt install openvswitch-switch # or the packages of DOCA")
		return
	}
	found := o.Version
	if o.Service != "" {
		found += ", service " + o.Service
	}
	for _, key := range []string{"doca-init", "dpdk-init", "hw-offload"} {
		if o.Sets(key) {
			found += ", " + key
		}
	}
	e.add("Open vSwitch", Fact, found)
	if o.Service == "" {
		e.add("service", Refused, "neither openvswitch-switch nor openvswitch is active, "+
			"allowed: one", "systemctl start openvswitch-switch")
	}
	for _, b := range o.Bridges {
		e.add("bridge "+b.Name, Fact, strings.TrimSpace(cmp.Or(b.Datapath, "system")+": "+
			strings.Join(b.Ports, " ")))
	}
	if len(o.Datapaths) > 0 {
		e.add("datapaths", Fact, strings.Join(o.Datapaths, ", "))
	}
}

// NotSeen returns a finding for what the report could not look at.
func (r *Report) NotSeen() []Finding {
	reasons := map[string][]string{}
	var order []string
	for i := range r.Answers {
		if a := &r.Answers[i]; a.NotRun != "" {
			if reasons[a.NotRun] == nil {
				order = append(order, a.NotRun)
			}
			reasons[a.NotRun] = append(reasons[a.NotRun], a.Name)
		}
	}
	var list []Finding
	for _, why := range order {
		list = append(list, Finding{
			"not looked at", Fact, strings.Join(reasons[why], ", ") + ": " + why, nil,
		})
	}
	return list
}
