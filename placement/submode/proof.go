package submode

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"dpukv/results"
)

// Proof tells which datapath carried the packets between two moments.
type Proof struct {
	Datapath   string // its name
	Is         string // what forwarded
	Substitute string
	Filter     string
	// Packets counts by name: came/PORT, left/PORT, carried/…, elsewhere/…, dropped. On a card it
	// also has partial/flows, in hardware/rules, rdma/came/PORT and rdma/left/PORT. opcode/GET and
	// the like count requests.
	Packets map[string]uint64
	// Counters name the ports' counters that came and left are from.
	Counters map[string]string
	// CarriedShare is the part of the arrived packets that the datapath claims to have taken. For a
	// load, it is multiplied by the least share of the ends' traffic that a port saw.
	CarriedShare float64
	// PartialShare is the part of the arrived packets that an eSwitch only recognised. A CPU
	// forwarded them.
	PartialShare float64
	// Warnings are about packets that took another way, but were too few for an error.
	Warnings []string
	// Crossings compare the ends' traffic with the ports' counts.
	Crossings []results.Crossing
	// ForwarderCPUNs is the CPU time of forwarding in user space; 0 where the kernel or the card
	// forwards.
	ForwarderCPUNs int64
}

// ProveLoad compares the moments before and after a load, and the traffic of the load's ends in
// between. The ends' traffic must have come to the ports, with little beside it. ends is nil if the
// traffic is unknown.
func ProveLoad(before, after *Evidence, ends *Ends) (*Proof, error) {
	p, err := Prove(before, after)
	if ends == nil || len(after.Came) == 0 {
		return p, err
	}
	var beside error
	p.Crossings, beside = ends.Compare(after.gates(before)...)
	p.CarriedShare *= LeastShare(p.Crossings)
	if beside != nil {
		beside = fmt.Errorf("submode %s: not all went through %s (%s), or not only: %w",
			after.setup.Submode, p.Datapath, p.Is, beside)
	}
	return p, errors.Join(err, beside)
}

// Prove compares two moments. It returns an error if the datapath did not carry the packets, or if
// none came.
func Prove(before, after *Evidence) (*Proof, error) {
	s := after.setup
	p := &Proof{
		Datapath: s.datapath.name, Is: s.datapath.describe(&s.Filter, after.Program),
		Substitute: s.datapath.substitute, Filter: s.Filter.String(),
		Packets: map[string]uint64{}, Counters: after.Sources,
	}
	var errs []error
	sum := func(name string, was, is map[string]uint64) (total uint64) {
		for _, key := range slices.Sorted(maps.Keys(is)) {
			if is[key] < was[key] {
				errs = append(errs, fmt.Errorf("%s at %s: found %d, after %d: "+
					"it was set up anew in between", name, key, is[key], was[key]))
				continue
			}
			n := is[key] - was[key]
			p.Packets[name+"/"+key] = n
			total += n
		}
		return total
	}
	came, left := sum("came", before.Came, after.Came), sum("left", before.Left, after.Left)
	carried := sum("carried", before.Carried, after.Carried)
	elsewhere := sum("elsewhere", before.Elsewhere, after.Elsewhere)
	sum("opcode", before.Opcodes, after.Opcodes)
	sum("rdma", before.RDMA, after.RDMA)
	if n := after.Uncut - min(before.Uncut, after.Uncut); n > 0 {
		errs = append(errs, fmt.Errorf("found %d trains of requests in one piece, whose "+
			"operations cannot be counted, allowed: senders with segmentation offload off, as "+
			"between emulated machines: ethtool -K INTERFACE tx-udp-segmentation off", n))
	}
	carried += flows(p, "carried", before.Flows, after.Flows)
	elsewhere += flows(p, "elsewhere", before.Stray, after.Stray)
	dropped := after.Dropped - min(before.Dropped, after.Dropped)
	if dropped > 0 {
		p.Packets["dropped"] = dropped
	}
	errs = append(errs, p.cpu(before, after))
	if len(after.Came) > 0 {
		p.CarriedShare = float64(carried) / float64(max(came, 1))
		errs = append(errs,
			p.judge(before, after, came, left, carried+dropped, elsewhere, dropped),
			p.judgePartial(before, after, came), p.judgeRules(before, after, came),
			p.judgeJoined(before, after, came, dropped), after.judgeRest(before, came))
	}
	if err := errors.Join(errs...); err != nil {
		return p, fmt.Errorf("submode %s: the packets did not go through %s (%s): %w",
			s.Submode, p.Datapath, p.Is, err)
	}
	return p, nil
}

// flows sums up the packets of each flow. A flow that is gone counts nothing.
func flows(p *Proof, name string, was, is map[string]uint64) (total uint64) {
	total = growth(was, is)
	if len(is) > 0 {
		p.Packets[name+"/flows"] = total
	}
	return total
}

// growth sums up the growth of counts. A smaller count began anew: Open vSwitch removes a flow that
// is idle for seconds, and the next packet makes it again.
func growth(was, is map[string]uint64) (total uint64) {
	for key, n := range is {
		if n >= was[key] {
			n -= was[key]
		}
		total += n
	}
	return total
}

// Packets that may be missing: a datapath in user space drops packets under overload, and a flow's
// first packets take another way.
const (
	leastShare = 0.90
	// mostLost is the greatest share that may be lost in front of the datapath. The packets that
	// leave tell whether it was loss: what took another way leaves, too.
	mostLost  = 0.5
	mostStray = 0.10
	// someStray are unintended packets: neighbour discovery, and the first packets of a flow.
	someStray = 100
)

func (p *Proof) judge(
	before, after *Evidence, came, left, taken, elsewhere, dropped uint64,
) error {
	var errs []error
	for _, port := range after.setup.ports() {
		if after.Came[port] == before.Came[port] {
			errs = append(errs, fmt.Errorf("found no packet that came in at %s", port))
		}
	}
	stray := uint64(mostStray*float64(came)) + someStray
	lost := 1 - float64(taken)/float64(max(came, 1))
	switch {
	case lost > mostLost, float64(taken) < leastShare*float64(min(came, left+dropped)):
		errs = append(errs, fmt.Errorf("found %d packets that came in at %s, and %d that it took",
			came, after.setup.Ports, taken))
	case float64(taken) > float64(came)+float64(stray):
		errs = append(errs, fmt.Errorf("found %d packets that it took, and only %d that came in "+
			"at %s: it has other work", taken, came, after.setup.Ports))
	}
	if errs == nil && lost > 1-leastShare {
		p.Warnings = append(p.Warnings,
			fmt.Sprintf("overload: %.0f %% of the packets that came in at %s were lost in front "+
				"of %s, and sent again", 100*lost, after.setup.Ports, p.Datapath))
	}
	if left+dropped > came+stray {
		errs = append(errs, fmt.Errorf("found %d packets that came in, and %d that went out: "+
			"something else forwards, too", came, left))
	}
	if elsewhere > stray {
		errs = append(errs, fmt.Errorf("found %d of %d packets on a way that should not be taken",
			elsewhere, came))
	}
	return errors.Join(errs...)
}

// judgePartial reports flows that the eSwitch only recognises. Few of them are a warning.
func (p *Proof) judgePartial(before, after *Evidence, came uint64) error {
	partial := flows(p, "partial", before.Partial, after.Partial)
	p.PartialShare = float64(partial) / float64(max(came, 1))
	text := fmt.Sprintf("found %d of %d packets in partially offloaded flows: the eSwitch only "+
		"recognises them, and a CPU forwards them", partial, came)
	switch {
	case partial > uint64(mostStray*float64(came))+someStray:
		return fmt.Errorf("%s; to do: see why, in ovs-vswitchd.log and by "+
			"ovs-appctl dpctl/dump-flows -m DATAPATH type=partially-offloaded, where "+
			"ovs-appctl dpif/show names DATAPATH", text)
	case partial > someStray:
		p.Warnings = append(p.Warnings, text)
	}
	return nil
}

// judgeRules refuses packets that no rule in the eSwitch took, by traffic control's own counts.
func (p *Proof) judgeRules(before, after *Evidence, came uint64) error {
	if after.InHardware == nil {
		return nil
	}
	rules := growth(before.InHardware, after.InHardware)
	p.Packets["in hardware/rules"] = rules
	if float64(rules) >= leastShare*float64(came) {
		return nil
	}
	return fmt.Errorf("found %d packets that came in at %s, and %d of rules that traffic control "+
		"has in hardware (in_hw); to do: tc -s filter show dev %s ingress", came,
		after.setup.Ports, rules, after.setup.Ports.Wire)
}

// mostJoined is the most packets that GRO joins on average: a driver takes 64 at a time.
const mostJoined = 64

// judgeJoined refuses flows that cannot contain the packets that came in. For each packet that GRO
// joined to another one, a flow lacks the headers. Bytes of the wire also contain the frame's
// checksum.
func (p *Proof) judgeJoined(before, after *Evidence, came, dropped uint64) error {
	if after.Joined == nil {
		return nil
	}
	packets := flows(p, "joined", before.Joined.Packets(), after.Joined.Packets())
	bytes := growth(before.Joined.Bytes(), after.Joined.Bytes())
	var arrived uint64
	for _, g := range after.gates(before) {
		arrived += g.came().Bytes
	}
	const checksum = 4
	kept := came - min(dropped, came)
	headers := mostHeaders*(kept-min(packets, kept)) + checksum*kept
	least := leastShare * float64(kept)
	leastBytes := least / float64(max(came, 1)) * float64(arrived)
	if float64(mostJoined*packets) >= least && float64(bytes+headers) >= leastBytes {
		return nil
	}
	return fmt.Errorf("found %d bytes in %d packets that came in at %s, and %d bytes in %d "+
		"packets in the flows that it took, where GRO may have joined packets", arrived, came,
		after.setup.Ports, bytes, packets)
}

// cpu computes the CPU time of the processes in between; the processes have to be the same. Where
// the kernel or the card forwards, the processes only control it, and do not count.
func (p *Proof) cpu(before, after *Evidence) error {
	for key, used := range after.Processes {
		was, ok := before.Processes[key]
		if !ok {
			return fmt.Errorf("found another process (PID@START %s) than before: "+
				"it was restarted in between", key)
		}
		if !after.setup.datapath.inKernel {
			p.ForwarderCPUNs += used - was
		}
	}
	return nil
}
