package submode

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"dpukv/placement/submode/packetfilter"
)

// The submodes, as sweeps name them.
const (
	OffPath = "off-path" // cards in separated-host mode, as in the study
	// OffPathSF is DPU mode, with a scalable function as the Arm's own end. It is not the study's
	// off-path: all packets pass the Arm's eSwitch.
	OffPathSF = "off-path-sf"
	Direct    = "direct"
	SM1       = "sm1"
	SM2       = "sm2"
	SM3       = "sm3"
	SM4       = "sm4"
	SM5       = "sm5"
)

// Names returns the names of all submodes.
func Names() []string {
	return []string{OffPath, OffPathSF, Direct, SM1, SM2, SM3, SM4, SM5}
}

// OnPath reports whether the way to the host leads through its DPU.
func OnPath(name string) bool { return name != OffPath && name != OffPathSF && name != Direct }

// Kinds of nodes.
const (
	Linux     = "linux"     // a machine or namespace with two interfaces to forward between
	BlueField = "bluefield" // a card, seen from its Arm cores
)

// Config describes the submode to set up on a node.
type Config struct {
	Submode  string
	Target   string // Linux, BlueField
	Datapath string // one of Datapaths; "": the first of them that the node has
	Ports    Ports
	PCI      string // of the card's first port; BlueField; "": 0000:03:00.0
	// CPUs are for forwarding in user space: the first for housekeeping, the others poll. nil: CPU
	// 0, on a BlueField 0 to 3.
	CPUs   []int
	Binary string // dpukv on the node; Linux, tcx, UndoAfter
	Filter packetfilter.Filter
	// MaxSleep is the longest sleep of OvS-DPDK's threads when they find no packets. 0: they poll
	// without a pause, as in the study.
	MaxSleep time.Duration
	// Owner is the process that will undo the submode, itself or through a later process: see
	// [Owner]. "": a person.
	Owner string
	// UndoAfter is the time after which the node undoes the submode by itself, whether the
	// orchestrator reaches it or not; 0: never. Binary must be set then.
	UndoAfter time.Duration
}

// Ports are the node's interfaces.
type Ports struct {
	Wire string // to the network; "": p0
	Host string // to the host behind; "": pf0hpf
}

func (p Ports) String() string { return p.Wire + " and " + p.Host }

func (p Ports) names() []string { return []string{p.Wire, p.Host} }

// other returns the port by which packets leave.
func (p Ports) other(port string) string {
	if port == p.Wire {
		return p.Host
	}
	return p.Wire
}

func (c Config) withDefaults() Config {
	c.Ports = Ports{cmp.Or(c.Ports.Wire, "p0"), cmp.Or(c.Ports.Host, "pf0hpf")}
	c.PCI = cmp.Or(c.PCI, "0000:03:00.0")
	if c.CPUs == nil && c.Target == BlueField {
		c.CPUs = []int{0, 1, 2, 3}
	}
	if c.CPUs == nil {
		c.CPUs = []int{0}
	}
	return c
}

var interfaceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$`)

// check refuses configurations that no datapath supports.
func (c *Config) check() error {
	switch {
	case !slices.Contains(Names(), c.Submode):
		return fmt.Errorf("found this name, allowed: %s", strings.Join(Names(), ", "))
	case c.Target != Linux && c.Target != BlueField:
		return fmt.Errorf("found target %q, allowed: %s, %s", c.Target, Linux, BlueField)
	case c.Ports.Wire == c.Ports.Host:
		return fmt.Errorf("found one interface, %s, for wire and host, allowed: two", c.Ports.Wire)
	case c.Submode == OffPathSF && c.Target == Linux:
		return fmt.Errorf("found target %s, allowed: %s, whose Arm has a scalable function of "+
			"its own", Linux, BlueField)
	case c.Submode == Direct && c.Target == BlueField:
		return fmt.Errorf("found target %s, allowed: %s. Hosts are joined with nothing between by "+
			"another cable, not by a DPU", BlueField, Linux)
	}
	for _, name := range c.Ports.names() {
		if !interfaceName.MatchString(name) {
			return fmt.Errorf("found interface %q, allowed: the name of one", name)
		}
	}
	for _, n := range c.CPUs {
		if n < 0 || n > 63 {
			return fmt.Errorf("found CPU %d for the forwarder, allowed: 0 to 63", n)
		}
	}
	return nil
}

// checkFilter refuses packet work that no datapath of the submode supports.
func (c *Config) checkFilter() error {
	f := &c.Filter
	switch {
	case f.None():
		return nil
	case !OnPath(c.Submode):
		return fmt.Errorf("found filter %s: there is no DPU on the path, "+
			"allowed: with an on-path submode", f)
	case f.Rules() > packetfilter.MostRules:
		return fmt.Errorf("found a filter of %d rules, allowed: at most %d",
			f.Rules(), packetfilter.MostRules)
	}
	_, err := f.Object(Requests())
	return err
}

// polling returns the CPUs for threads that poll.
func (c *Config) polling() []int {
	if len(c.CPUs) > 1 {
		return c.CPUs[1:]
	}
	return c.CPUs
}
