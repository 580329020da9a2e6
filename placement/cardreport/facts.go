package cardreport

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpukv/placement/submode/card"
)

// Facts are what a report says. Unknown facts are zero values.
type Facts struct {
	Root      bool
	Release   string // "Ubuntu 22.04.5 LTS"
	Image     string // of a card: its BFB
	Kernel    string // name, release, architecture
	PageBytes int
	Pools     []Pool
	Memlock   string // "unlimited", or KiB
	Verbs     bool   // the library is there

	Cards []Card
	Links []Link
	GIDs  []GID
	// InfiniBand are the RDMA devices that are not of Ethernet.
	InfiniBand []string

	OVS   OVS
	Login string // the address of this machine that ssh came by
}

// Pool is a pool of huge pages of one size.
type Pool struct{ PageBytes, Total, Free int }

// Card is a network card of the vendor, by its first function.
type Card struct {
	card.Card
	ModeError string // why the mode is unknown
	ESwitch   string // "switchdev", "legacy"
	RoCE      string // "true", "false": enable_roce as it runs
	// WriteOrder has what decides in which order the bytes of a WRITE become visible: the current
	// PCI_WR_ORDERING, whether PCIe allows relaxed ordering, variables for packets out of order.
	WriteOrder []string
}

// Link is a network interface.
type Link struct {
	Name, Driver string
	SpeedMbps    int // 0: unknown
	MTU          int
	PortName     string // phys_port_name: "p0", "pf0", "c1pf0"
	Addresses    []string
}

// GID is an entry of an RDMA device's table.
type GID struct {
	Device, GID, Type, Net string
	Index                  int
}

// OVS is the system's Open vSwitch.
type OVS struct {
	Version   string // "": it is not there
	Service   string // the name of its service, if that is active
	Config    string // other_config, as ovs-vsctl prints it
	Bridges   []Bridge
	Datapaths []string // "system@ovs-system"
}

// Bridge is a bridge of Open vSwitch.
type Bridge struct {
	Name, Datapath string
	Ports          []string
}

// get returns a probe's answer; nil: there is none.
func (r *Report) get(name string) *Answer {
	i := slices.IndexFunc(r.Answers, func(a Answer) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Answers[i]
}

// text returns a probe's stdout, without surrounding blanks.
func (r *Report) text(name string) string {
	if a := r.get(name); a != nil {
		return strings.TrimSpace(a.Stdout)
	}
	return ""
}

// Parse reads the facts. What it does not understand stays unknown.
func (r *Report) Parse() *Facts {
	f := &Facts{
		Root:    r.text(idProbe) == "0",
		Release: assignment(r.text(releaseProbe), "PRETTY_NAME"),
		Image:   firstLine(r.text(imageProbe)),
		Kernel:  r.text(kernelProbe),
		Memlock: r.text(memlockProbe),
		Verbs:   strings.Contains(r.text(verbsProbe), "libibverbs.so.1"),
		Login:   loginAddress(r.text(loginProbe)),
	}
	f.PageBytes, _ = strconv.Atoi(r.text(pageProbe))
	f.Pools = pools(r.text(poolsProbe))
	f.Links = r.links()
	f.GIDs = gids(r.text(gidsProbe))
	for _, m := range infiniBand.FindAllStringSubmatch(r.text(devicesProbe), -1) {
		f.InfiniBand = append(f.InfiniBand, m[1])
	}
	f.Cards = r.cards()
	f.OVS = r.ovs()
	return f
}

var infiniBand = regexp.MustCompile(`(?m)^(\w+)/ports/1/link_layer:InfiniBand`)

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// assignment returns a value of a shell file.
func assignment(text, key string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return ""
}

// pools reads lines such as hugepages-2048kB/nr_hugepages:512.
func pools(text string) (list []Pool) {
	for line := range strings.Lines(text) {
		name, count, _ := strings.Cut(strings.TrimSpace(line), ":")
		size, file, _ := strings.Cut(strings.TrimPrefix(name, "hugepages-"), "/")
		kb, err := strconv.Atoi(strings.TrimSuffix(size, "kB"))
		n, errN := strconv.Atoi(count)
		if err != nil || errN != nil {
			continue
		}
		i := slices.IndexFunc(list, func(p Pool) bool { return p.PageBytes == kb<<10 })
		if i < 0 {
			list = append(list, Pool{PageBytes: kb << 10})
			i = len(list) - 1
		}
		if file == "nr_hugepages" {
			list[i].Total = n
		} else {
			list[i].Free = n
		}
	}
	return list
}

func (r *Report) links() []Link {
	var found []struct {
		Ifname string
		MTU    int
	}
	var addresses []struct {
		Ifname    string
		Addr_info []struct{ Local string }
	}
	_ = json.Unmarshal([]byte(r.text(linksProbe)), &found)
	_ = json.Unmarshal([]byte(r.text(addressProbe)), &addresses)
	var list []Link
	for _, l := range found {
		list = append(list, Link{Name: l.Ifname, MTU: l.MTU})
	}
	link := func(name string) *Link {
		i := slices.IndexFunc(list, func(l Link) bool { return l.Name == name })
		if i < 0 {
			return new(Link)
		}
		return &list[i]
	}
	for _, a := range addresses {
		for _, i := range a.Addr_info {
			link(a.Ifname).Addresses = append(link(a.Ifname).Addresses, i.Local)
		}
	}
	for line := range strings.Lines(r.text(portsProbe)) {
		where, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name, ok := strings.CutSuffix(where, "/phys_port_name"); ok {
			link(name).PortName = value
		}
	}
	for line := range strings.Lines(r.text(driversProbe)) {
		if w := strings.Fields(line); len(w) > 1 {
			link(w[0]).Driver = w[1]
			if len(w) > 2 {
				link(w[0]).SpeedMbps, _ = strconv.Atoi(w[2])
			}
		}
	}
	return list
}

// gids reads lines such as mlx5_0/ports/1/gids/3 GID RoCE_v2 p0.
func gids(text string) (list []GID) {
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		if len(w) < 2 {
			continue
		}
		device, rest, _ := strings.Cut(w[0], "/")
		g := GID{Device: device, GID: w[1]}
		g.Index, _ = strconv.Atoi(rest[strings.LastIndex(rest, "/")+1:])
		if len(w) > 2 {
			g.Type = strings.ReplaceAll(w[2], "_", " ")
		}
		if len(w) > 3 {
			g.Net = w[3]
		}
		list = append(list, g)
	}
	return list
}

func (r *Report) cards() (list []Card) {
	for i := range r.Answers {
		a := &r.Answers[i]
		pci, ok := strings.CutPrefix(a.Name, modeProbe)
		if !ok {
			continue
		}
		c := Card{}
		var err error
		if c.Card, err = card.Parse(a.Stdout); err != nil {
			c.ModeError = err.Error()
		}
		if a.Exit != 0 {
			c.ModeError = firstLine(a.Stderr + "\n" + a.NotRun)
		}
		c.PCI = pci
		c.ESwitch = after(r.text(eswitchProbe+pci), "mode")
		c.RoCE = after(r.text(roceProbe+pci), "value")
		c.WriteOrder = r.writeOrder(pci)
		list = append(list, c)
	}
	return list
}

const orderKey = "PCI_WR_ORDERING"

func (r *Report) writeOrder(pci string) (all []string) {
	for line := range strings.Lines(r.text(configsProbe + pci)) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		const columns = 4 // the key; the default, the current value, that of the next boot
		if len(f) >= columns && f[0] == orderKey {
			all = append(all, orderKey+" "+f[2])
		}
	}
	for line := range strings.Lines(r.text(orderProbe + pci)) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// after returns the word after a word. devlink prints "cmode driverinit value true".
func after(text, word string) string {
	w := strings.Fields(text)
	if i := slices.Index(w, word); i >= 0 && i+1 < len(w) {
		return w[i+1]
	}
	return ""
}

func (r *Report) ovs() OVS {
	o := OVS{Config: r.text(configProbe)}
	if a := r.get(ovsProbe); a != nil && a.Exit == 0 {
		line := strings.Fields(firstLine(a.Stdout)) // ovs-vsctl (Open vSwitch) 2.17.8
		if len(line) > 0 {
			o.Version = line[len(line)-1]
		}
	}
	for line := range strings.Lines(r.text(serviceProbe)) {
		if w := strings.Fields(line); len(w) == 2 && w[1] == "active" {
			o.Service = w[0]
		}
	}
	for line := range strings.Lines(r.text(bridgesProbe)) {
		if w := strings.Fields(line); len(w) > 1 {
			o.Bridges = append(o.Bridges, Bridge{w[0], strings.Trim(w[1], `"`), w[2:]})
		}
	}
	for line := range strings.Lines(r.text(datapathProbe)) {
		name, _, ok := strings.Cut(line, ":")
		if ok && strings.Contains(name, "@") && !strings.HasPrefix(line, " ") {
			o.Datapaths = append(o.Datapaths, name)
		}
	}
	return o
}

// Sets reports whether a key of other_config is true.
func (o *OVS) Sets(key string) bool {
	return strings.Contains(strings.NewReplacer(`"`, "", " ", "").Replace(o.Config), key+"=true")
}

// BridgeOf returns the bridge that a port is in, or that is the port itself; "": none.
func (o *OVS) BridgeOf(port string) string {
	for _, b := range o.Bridges {
		if b.Name == port || slices.Contains(b.Ports, port) {
			return b.Name
		}
	}
	return ""
}

// Link returns the interface of this name, or nil.
func (f *Facts) Link(name string) *Link {
	for i := range f.Links {
		if f.Links[i].Name == name {
			return &f.Links[i]
		}
	}
	return nil
}

// WithAddress returns the interface that has an address, or nil.
func (f *Facts) WithAddress(address string) *Link {
	for i := range f.Links {
		if slices.Contains(f.Links[i].Addresses, address) {
			return &f.Links[i]
		}
	}
	return nil
}
