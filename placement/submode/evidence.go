package submode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dpukv/results"
)

// Evidence is what was counted up to one moment.
type Evidence struct {
	Datapath string `json:"datapath"`
	// Came and Left are packets in and out of each port, by the interfaces' counters.
	Came map[string]uint64 `json:"came"`
	Left map[string]uint64 `json:"left"`
	// Gates are the ports by their names, with packets and bytes, to compare with what the ends
	// moved.
	Gates map[string]Gate `json:"gates"`
	// Carried are packets that the datapath says it took: by port, or all under its own name for them.
	Carried map[string]uint64 `json:"carried"`
	// Dropped are those that its filter dropped.
	Dropped uint64 `json:"dropped,omitempty"`
	// Opcodes are HERD's requests by operation, where the filter counts them; Uncut are trains of them that could not be counted.
	Opcodes map[string]uint64 `json:"opcodes,omitempty"`
	Uncut   uint64            `json:"uncut,omitempty"`
	// Elsewhere are packets of ways that should not have been taken.
	Elsewhere map[string]uint64 `json:"elsewhere,omitempty"`
	// Flows are counts of things that come and go; they are summed up over those that are there at the end.
	Flows map[string]uint64 `json:"-"`
	Stray map[string]uint64 `json:"-"` // the same, for flows of a way that should not have been taken
	// Processes are CPU times of what forwards in user space, in nanoseconds by PID and start.
	Processes map[string]int64 `json:"processes,omitempty"`
	site      *site
}

// Proof tells which datapath carried the packets between two moments.
type Proof struct {
	Datapath   string `json:"datapath"` // its name
	Is         string `json:"is"`       // what forwarded
	Substitute string `json:"substitute,omitempty"`
	Filter     string `json:"filter,omitempty"`
	// Packets counts by name: came/PORT, left/PORT, carried/…, elsewhere/…, dropped; opcode/GET and so on are requests.
	Packets map[string]uint64 `json:"packets"`
	// CarriedShare is the part of the packets that came which the datapath says it took; of a load,
	// times the least share of what its ends sent that a port saw.
	CarriedShare float64 `json:"carried_share"`
	// Crossings compare what the ends of a load sent with what the ports saw.
	Crossings []results.Crossing `json:"crossings,omitempty"`
	// ForwarderCPUNs is the CPU time of what forwards in user space; 0 where the kernel or the card does.
	ForwarderCPUNs int64 `json:"forwarder_cpu_ns"`
}

// looks is how often the counters are read where packets come in between: they are read one after
// another, and a packet that one has and another has not looks like one that took another way.
const looks = 3

// Evidence reads the counters, while nothing comes in if that can be had.
func (l *Lease) Evidence(ctx context.Context) (*Evidence, error) {
	for look := 1; ; look++ {
		e, err := l.look(ctx)
		var again *Evidence
		if err == nil && look < looks {
			again = l.none()
			err = l.interfaces(ctx, again)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("submode %s: evidence from node %s: %w",
				l.cfg.Submode, l.node.Name, err)
		case again == nil || maps.Equal(e.Came, again.Came) && maps.Equal(e.Left, again.Left):
			return e, nil
		}
		time.Sleep(glance)
	}
}

// none is evidence of nothing yet.
func (l *Lease) none() *Evidence {
	return &Evidence{
		Datapath: l.datapath.name, Came: map[string]uint64{}, Left: map[string]uint64{},
		Gates: map[string]Gate{}, Carried: map[string]uint64{}, Opcodes: map[string]uint64{},
		Elsewhere: map[string]uint64{}, Flows: map[string]uint64{}, Processes: map[string]int64{},
		site: l.site,
	}
}

// look reads each counter once.
func (l *Lease) look(ctx context.Context) (*Evidence, error) {
	e := l.none()
	err := l.interfaces(ctx, e)
	if err == nil {
		err = l.processes(ctx, e)
	}
	if err == nil && l.datapath.count != nil {
		err = l.datapath.count(ctx, l.site, l.node, e)
	}
	return e, err
}

// interfaces reads the ports' own counters.
func (l *Lease) interfaces(ctx context.Context, e *Evidence) error {
	if !OnPath(l.cfg.Submode) {
		return nil
	}
	out, err := l.node.Run(ctx, []string{"ip", "-j", "-s", "link", "show"})
	if err != nil {
		return err
	}
	all, err := links(out)
	if err != nil {
		return err
	}
	for _, port := range l.ports() {
		p, ok := all[port]
		if !ok {
			return fmt.Errorf("found no interface %s any more", port)
		}
		e.Came[port], e.Left[port] = p.Stats.RX.Packets, p.Stats.TX.Packets
		e.Gates[port] = l.gate(port, &p)
	}
	return nil
}

// gate is a port as it has counted up to now. What comes in at the wire is for the server.
func (s *site) gate(port string, l *link) Gate {
	came := Count{l.Stats.RX.Packets, l.Stats.RX.Bytes}
	left := Count{l.Stats.TX.Packets, l.Stats.TX.Bytes}
	g := Gate{Name: port, ToServer: came, ToClient: left, MTU: l.MTU}
	if port == s.cfg.Ports.Host {
		g.ToServer, g.ToClient, g.Behind = left, came, true
	}
	return g
}

// ProveLoad compares two moments, between which was a load, with what the load's ends moved in
// between: what they sent has to have come to the ports, and little else. nil: it is not known.
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
			after.site.cfg.Submode, p.Datapath, p.Is, beside)
	}
	return p, errors.Join(err, beside)
}

// Prove compares two moments. It is an error if the datapath did not carry the packets, or if none came.
func Prove(before, after *Evidence) (*Proof, error) {
	s := after.site
	p := &Proof{
		Datapath: s.datapath.name, Is: s.does(), Substitute: s.datapath.substitute, Filter: s.cfg.Filter.String(),
		Packets: map[string]uint64{},
	}
	var errs []error
	sum := func(name string, was, is map[string]uint64) (total uint64) {
		for _, key := range slices.Sorted(maps.Keys(is)) {
			if is[key] < was[key] {
				errs = append(errs, fmt.Errorf("%s at %s: found %d, after %d: it was set up anew in between", name, key, is[key], was[key]))
				continue
			}
			n := is[key] - was[key]
			p.Packets[name+"/"+key] = n
			total += n
		}
		return total
	}
	came, left := sum("came", before.Came, after.Came), sum("left", before.Left, after.Left)
	carried, elsewhere := sum("carried", before.Carried, after.Carried), sum("elsewhere", before.Elsewhere, after.Elsewhere)
	sum("opcode", before.Opcodes, after.Opcodes)
	if n := after.Uncut - min(before.Uncut, after.Uncut); n > 0 {
		errs = append(errs, fmt.Errorf("found %d trains of requests in one piece, whose operations cannot be counted, allowed: senders with segmentation offload off, as between "+
			"emulated machines: ethtool -K INTERFACE tx-udp-segmentation off", n))
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
		errs = append(errs, p.judge(before, after, came, left, carried+dropped, elsewhere, dropped))
	}
	if err := errors.Join(errs...); err != nil {
		return p, fmt.Errorf("submode %s: the packets did not go through %s (%s): %w", s.cfg.Submode, p.Datapath, p.Is, err)
	}
	return p, nil
}

// flows sums up what each flow carried; one that is gone by now counts nothing.
func flows(p *Proof, name string, was, is map[string]uint64) (total uint64) {
	for key, n := range is {
		total += n - min(n, was[key])
	}
	if len(is) > 0 {
		p.Packets[name+"/flows"] = total
	}
	return total
}

// What may be missing: a datapath in user space drops what it has no time for, and the first packets of a flow go another way.
const (
	leastShare = 0.90
	mostStray  = 0.10
	// someStray are packets that nobody sent on purpose: neighbour discovery, a flow's first.
	someStray = 100
)

func (p *Proof) judge(before, after *Evidence, came, left, taken, elsewhere, dropped uint64) error {
	var errs []error
	for _, port := range after.site.ports() {
		if after.Came[port] == before.Came[port] {
			errs = append(errs, fmt.Errorf("found no packet that came in at %s", port))
		}
	}
	stray := uint64(mostStray*float64(came)) + someStray
	switch {
	case float64(taken) < leastShare*float64(came):
		errs = append(errs, fmt.Errorf("found %d packets that came in at %s, and %d that it took", came, strings.Join(after.site.ports(), " and "), taken))
	case float64(taken) > float64(came)+float64(stray):
		errs = append(errs, fmt.Errorf("found %d packets that it took, and only %d that came in at %s: it has other work", taken, came,
			strings.Join(after.site.ports(), " and ")))
	}
	if left+dropped > came+stray {
		errs = append(errs, fmt.Errorf("found %d packets that came in, and %d that went out: something else forwards, too", came, left))
	}
	if elsewhere > stray {
		errs = append(errs, fmt.Errorf("found %d of %d packets on a way that should not be taken", elsewhere, came))
	}
	return errors.Join(errs...)
}
