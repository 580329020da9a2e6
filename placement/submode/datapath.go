package submode

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
	"dpukv/placement/submode/timer"
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
	// Program is what forwards, by its own word: file and version. "": the datapath implies it.
	Program string
	// Carried are packets that the datapath claims to have taken: by port, or all under the
	// datapath's own name.
	Carried map[string]uint64
	// Dropped counts the packets that the filter dropped.
	Dropped uint64
	// Opcodes are HERD's requests by operation, where the filter counts them. Uncut counts trains
	// of requests that could not be counted.
	Opcodes map[string]uint64
	Uncut   uint64
	// Elsewhere are packets of ways that must not be taken.
	Elsewhere map[string]uint64
	// ByCPU are packets that came in at a card's ports and reached the kernel on its CPU. Count
	// finds them there.
	ByCPU map[string]uint64
	// Flows are packets by flow. Flows come and go: a proof sums up the flows at its end. Stray are
	// flows of a way that must not be taken.
	Flows map[string]uint64
	Stray map[string]uint64
	// Partial are flows that an eSwitch only recognises: a CPU forwards their packets.
	Partial map[string]uint64
	// Joined are flows in which GRO may have joined packets of the wire.
	Joined ovs.FlowCounts
	// InHardware are packets by rule that traffic control counts in the eSwitch. nil: not asked.
	InHardware map[string]uint64
}

// kernel counts what reached the kernel on a card's CPU as a way that must not be taken.
func (c *Counts) kernel() {
	for port, packets := range c.ByCPU {
		c.Elsewhere["kernel at "+port] = packets
	}
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

// describe names the forwarder, its program where that is known, and its filter.
func (d *datapath) describe(f *packetfilter.Filter, program string) string {
	title := d.title
	if program != "" {
		title += " (" + program + ")"
	}
	if d.filterTitle == "" || f.None() {
		return title
	}
	return title + "; " + d.filterTitle
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

// onCard reports whether a card's ports count the packets.
func (s *setup) onCard() bool { return OnPath(s.Submode) && s.Target == BlueField }

// prefix distinguishes the files of DPDK processes.
func (s *setup) prefix() string { return "dpukv-" + path.Base(s.dir) }

// portSteps returns the ports' steps, where this package sets the ports up.
func (s *setup) portSteps(steps func(Ports) []step.Step) []step.Step {
	if !s.forwards() {
		return nil
	}
	return steps(s.Ports)
}

// steps returns the steps that start the timer and set up the ports and the datapath.
func (s *setup) steps() []step.Step {
	return slices.Concat(s.timerSteps(), s.portSteps(preparePorts), s.datapath.Steps(s))
}

// timerSteps start the timer before anything is changed.
func (s *setup) timerSteps() []step.Step {
	if s.UndoAfter == 0 {
		return nil
	}
	return []step.Step{{
		Purpose: fmt.Sprintf("a process here that undoes everything after %v", s.UndoAfter),
		Run: timer.Command(s.Binary, timer.Options{
			For: s.UndoAfter, Target: s.Target, Folder: s.dir,
		}),
		Advice: "the folder's timer.log has its output: " + s.dir,
	}}
}
