package submode

import (
	"context"
	"errors"
	"path"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// datapath is one way to forward between two ports.
type datapath struct {
	name     string // unique among those of a target and a submode
	target   string
	submodes []string
	// title names the forwarder. substitute names what it stands in for; "": it is the study's own.
	title, substitute string
	onlyAsked         bool // not chosen unless it is asked for

	// pidFiles, in the folder or with a path, have the PIDs of the datapath's processes. inKernel:
	// the processes only control the kernel or the card, which forwards.
	pidFiles []string
	inKernel bool
	// filterTitle names the filter's mechanism, where the datapath does not imply it.
	filterTitle string
	leastCPUs   int

	forwarder
}

// forwarder is the behaviour of a datapath in a setup.
type forwarder interface {
	// Check returns steps that fail where the node lacks something for the datapath. They change
	// nothing.
	Check(s *setup) []step.Step
	// Steps returns the steps that set the datapath up, with the filter.
	Steps(s *setup) []step.Step
	// Verify returns steps that fail where the datapath is not up. They change nothing.
	Verify(s *setup) []step.Step
	// Count adds the datapath's own counts.
	Count(ctx context.Context, s *setup, n step.Node, c *Counts) error
	// Filter refuses packet work that the datapath cannot do. It is called only with some work.
	Filter(f *packetfilter.Filter) error
}

// Counts are a datapath's own counts up to one moment.
type Counts struct {
	// Carried are packets that the datapath claims to have taken: by port, or all under the
	// datapath's own name.
	Carried map[string]uint64 `json:"carried"`
	// Dropped counts the packets that the filter dropped.
	Dropped uint64 `json:"dropped,omitempty"`
	// Opcodes are HERD's requests by operation, where the filter counts them. Uncut counts trains
	// of requests that could not be counted.
	Opcodes map[string]uint64 `json:"opcodes,omitempty"`
	Uncut   uint64            `json:"uncut,omitempty"`
	// Elsewhere are packets of ways that must not be taken.
	Elsewhere map[string]uint64 `json:"elsewhere,omitempty"`
	// Flows are packets by flow. Flows come and go: a proof sums up the flows at its end. Stray are
	// flows of a way that must not be taken.
	Flows map[string]uint64 `json:"-"`
	Stray map[string]uint64 `json:"-"`
}

// drop moves packets from those carried under a name to those that the filter dropped.
func (c *Counts) drop(packets uint64, name string) {
	c.Dropped += packets
	c.Carried[name] -= min(packets, c.Carried[name])
}

// errNoFilter is the error of a datapath that does no packet work.
var errNoFilter = errors.New("it has no words for that, allowed: none")

// refuses returns the reason why a datapath cannot do a filter's work.
func (d *datapath) refuses(f *packetfilter.Filter) error {
	if f.None() {
		return nil
	}
	return d.Filter(f)
}

// describe names the forwarder and its filter.
func (d *datapath) describe(f *packetfilter.Filter) string {
	if d.filterTitle == "" || f.None() {
		return d.title
	}
	return d.title + "; " + d.filterTitle
}

// bridgeName is the name of our bridge.
const bridgeName = "dpukv0"

// setup is a datapath with the data for its commands.
type setup struct {
	Config
	datapath *datapath
	dir      string // on the node
}

func (s *setup) file(name string) string { return s.dir + "/" + name }

func (s *setup) ports() []string { return s.Ports.names() }

// forwards reports whether this package sets the ports up. A card's ports belong to its own switch.
func (s *setup) forwards() bool { return OnPath(s.Submode) && s.Target == Linux }

// prefix distinguishes the files of DPDK processes.
func (s *setup) prefix() string { return "dpukv-" + path.Base(s.dir) }

// checks returns the steps that look for the datapath's requirements.
func (s *setup) checks() []step.Step { return s.datapath.Check(s) }

// portSteps returns the ports' steps, where this package sets the ports up.
func (s *setup) portSteps(steps func(Ports) []step.Step) []step.Step {
	if !s.forwards() {
		return nil
	}
	return steps(s.Ports)
}

// steps returns the steps that set up the ports and the datapath.
func (s *setup) steps() []step.Step {
	return append(s.portSteps(preparePorts), s.datapath.Steps(s)...)
}

// verifies returns the steps that fail where the datapath is not up.
func (s *setup) verifies() []step.Step { return s.datapath.Verify(s) }
