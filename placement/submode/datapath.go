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
	// title says what forwards. substitute says what it stands in for; "": it is the thing itself.
	title, substitute string
	onlyAsked         bool // not chosen unless it is asked for

	// pidFiles, in the folder or with a path, have the PIDs of the datapath's processes. inKernel:
	// these only tell the kernel, or the card, what to do.
	pidFiles []string
	inKernel bool
	// filterTitle says how a filter is done, where that is not plain from the datapath.
	filterTitle string
	leastCPUs   int

	forwarder
}

// forwarder is what a datapath does in a setup.
type forwarder interface {
	// Check are steps that fail where the node has not what the datapath needs. They change nothing.
	Check(s *setup) []step.Step
	// Steps set it up, with the filter.
	Steps(s *setup) []step.Step
	// Verify are steps that fail where it is not up. They change nothing.
	Verify(s *setup) []step.Step
	// Count adds what the datapath itself counted.
	Count(ctx context.Context, s *setup, n step.Node, c *Counts) error
	// Filter refuses packet work that the datapath cannot do. It is not called without any work.
	Filter(f *packetfilter.Filter) error
}

// Counts are what a datapath itself counted up to one moment.
type Counts struct {
	// Carried are packets that the datapath says it took: by port, or all under its own name for
	// them.
	Carried map[string]uint64 `json:"carried"`
	// Dropped are those that its filter dropped.
	Dropped uint64 `json:"dropped,omitempty"`
	// Opcodes are HERD's requests by operation, where the filter counts them. Uncut are trains of
	// requests that could not be counted.
	Opcodes map[string]uint64 `json:"opcodes,omitempty"`
	Uncut   uint64            `json:"uncut,omitempty"`
	// Elsewhere are packets of ways that should not have been taken.
	Elsewhere map[string]uint64 `json:"elsewhere,omitempty"`
	// Flows are packets by flow. Flows come and go: a proof sums up those that are there at its end.
	// Stray are flows of a way that should not have been taken.
	Flows map[string]uint64 `json:"-"`
	Stray map[string]uint64 `json:"-"`
}

// drop moves packets that the filter dropped out of those that were carried under a name.
func (c *Counts) drop(packets uint64, name string) {
	c.Dropped += packets
	c.Carried[name] -= min(packets, c.Carried[name])
}

// errNoFilter is of a datapath that does no packet work.
var errNoFilter = errors.New("it has no words for that, allowed: none")

// refuses tells why a datapath cannot do a filter's work.
func (d *datapath) refuses(f *packetfilter.Filter) error {
	if f.None() {
		return nil
	}
	return d.Filter(f)
}

// describe says what forwards, with a filter.
func (d *datapath) describe(f *packetfilter.Filter) string {
	if d.filterTitle == "" || f.None() {
		return d.title
	}
	return d.title + "; " + d.filterTitle
}

// bridgeName is that of ours.
const bridgeName = "dpukv0"

// setup is a datapath with what its commands need to know.
type setup struct {
	Config
	datapath *datapath
	dir      string // on the node
}

func (s *setup) file(name string) string { return s.dir + "/" + name }

func (s *setup) ports() []string { return s.Ports.names() }

// forwards tells whether the ports are set up here: a card's are its switch's own.
func (s *setup) forwards() bool { return OnPath(s.Submode) && s.Target == Linux }

// prefix sets apart the files of DPDK processes.
func (s *setup) prefix() string { return "dpukv-" + path.Base(s.dir) }

// checks look for what the datapath needs.
func (s *setup) checks() []step.Step { return s.datapath.Check(s) }

// portSteps are those for the ports, where they are set up here.
func (s *setup) portSteps(steps func(Ports) []step.Step) []step.Step {
	if !s.forwards() {
		return nil
	}
	return steps(s.Ports)
}

// steps set up the ports and the datapath.
func (s *setup) steps() []step.Step {
	return append(s.portSteps(preparePorts), s.datapath.Steps(s)...)
}

// verifies are steps that fail where the datapath is not up.
func (s *setup) verifies() []step.Step { return s.datapath.Verify(s) }
