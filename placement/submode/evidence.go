package submode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"time"

	"dpukv/placement/submode/eswitch"
	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// Evidence holds the counts up to one moment.
type Evidence struct {
	// Came and Left are packets in and out of each port, by the interfaces' counters.
	Came map[string]uint64
	Left map[string]uint64
	// Gates are the ports by their names, with packets and bytes, for the comparison with the ends'
	// traffic.
	Gates map[string]Gate
	// RDMA are RDMA packets in and out of a card's ports, as far as the driver counts them.
	RDMA map[string]uint64
	// Sources name the counters of each port.
	Sources map[string]string
	Counts
	// Processes are the CPU times of forwarding in user space, in nanoseconds by PID and start.
	Processes map[string]int64
	setup     *setup
	cardPorts map[string]*eswitch.Port
	// unrest are the most packets that a card's port moved while the counters were read, and how.
	unrest     uint64
	unrestText string
}

// maxReads limits the reads of the counters while packets come in. The counters are read one after
// another, so a packet may be in one and not in another. It then looks as if it took another way.
const maxReads = 3

// readEvidence reads until no packet came in meanwhile, or maxReads times.
func readEvidence(ctx context.Context, s *setup, n step.Node) (*Evidence, error) {
	if s.onCard() {
		return readAtRest(ctx, s, n)
	}
	for read := 1; ; read++ {
		e := newEvidence(s)
		if err := e.read(ctx, n); err != nil {
			return nil, err
		}
		if read == maxReads {
			return e, nil
		}
		again := newEvidence(s)
		if err := again.readPorts(ctx, n); err != nil {
			return nil, err
		}
		if maps.Equal(e.Came, again.Came) && maps.Equal(e.Left, again.Left) {
			return e, nil
		}
		time.Sleep(step.RetryInterval)
	}
}

// resting are the packets between two reads that count as rest: neighbours and switches send a few
// at any time. restShare is the share of a load that may come beside it; see judgeRest.
const (
	resting   = 10
	restShare = 0.001
)

// readAtRest reads a card's counters once they include all of a load. The ports are read before
// and after the datapath's own counters, and both reads have to agree. If they never do, the proof
// says whether that is much beside the load.
func readAtRest(ctx context.Context, s *setup, n step.Node) (*Evidence, error) {
	for read := 1; ; read++ {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(eswitch.SettleTime):
		}
		e, again := newEvidence(s), newEvidence(s)
		if err := errors.Join(e.read(ctx, n), again.readPorts(ctx, n)); err != nil {
			return nil, err
		}
		if e.noteUnrest(again); e.unrest <= resting || read == maxReads {
			return e, nil
		}
	}
}

// noteUnrest notes how much the ports moved until another read.
func (e *Evidence) noteUnrest(again *Evidence) {
	for _, port := range e.setup.ports() {
		if n, way := again.cardPorts[port].Growth(e.cardPorts[port]); n > e.unrest {
			e.unrest, e.unrestText = n, way+" at "+port
		}
	}
}

// judgeRest refuses counters that grew while they were read by more than a share of the load.
func (after *Evidence) judgeRest(before *Evidence, came uint64) error {
	e := after
	if before.unrest > e.unrest {
		e = before
	}
	most := max(someStray, uint64(restShare*float64(came)))
	if e.unrest <= most {
		return nil
	}
	return fmt.Errorf("asked for counters at rest, found in %d reads that they still grow (%s), "+
		"allowed: %d packets beside a load of %d; to do: end the other traffic, which this "+
		"shows: tcpdump -ni %s", maxReads, e.unrestText, most, came, e.setup.Ports.Wire)
}

// newEvidence returns empty evidence.
func newEvidence(s *setup) *Evidence {
	return &Evidence{
		Came: map[string]uint64{}, Left: map[string]uint64{},
		Gates: map[string]Gate{}, Processes: map[string]int64{},
		RDMA: map[string]uint64{}, Sources: map[string]string{},
		Counts: Counts{
			Carried: map[string]uint64{}, Opcodes: map[string]uint64{},
			Elsewhere: map[string]uint64{}, Flows: map[string]uint64{},
			ByCPU: map[string]uint64{},
		},
		setup: s, cardPorts: map[string]*eswitch.Port{},
	}
}

// read reads each counter once.
func (e *Evidence) read(ctx context.Context, n step.Node) error {
	if err := e.readPorts(ctx, n); err != nil {
		return err
	}
	if err := e.readProcesses(ctx, n); err != nil {
		return err
	}
	return e.setup.datapath.Count(ctx, e.setup, n, &e.Counts)
}

// readPorts reads the ports' own counters.
func (e *Evidence) readPorts(ctx context.Context, n step.Node) error {
	if !OnPath(e.setup.Submode) {
		return nil
	}
	out, err := n.Run(ctx, []string{"ip", "-j", "-s", "link", "show"})
	if err != nil {
		return err
	}
	all, err := iplink.Parse(out)
	if err != nil {
		return err
	}
	for _, port := range e.setup.ports() {
		l, ok := all[port]
		if !ok {
			return fmt.Errorf("found no interface %s any more", port)
		}
		came, left := Count(l.Stats.RX), Count(l.Stats.TX)
		source := "ip -s link"
		if e.setup.onCard() {
			p, err := eswitch.ReadPort(ctx, n, port)
			if err != nil {
				return err
			}
			e.addCardPort(port, p)
			came, left, source = Count(p.Came), Count(p.Left), p.Source
		}
		e.Came[port], e.Left[port], e.Sources[port] = came.Packets, left.Packets, source
		e.Gates[port] = newGate(&l, came, left, port == e.setup.Ports.Host)
	}
	return nil
}

// addCardPort keeps the counts that only a card's port has.
func (e *Evidence) addCardPort(port string, p *eswitch.Port) {
	e.cardPorts[port], e.ByCPU[port] = p, p.ByCPU
	if p.CountsRDMA {
		e.RDMA["came/"+port], e.RDMA["left/"+port] = p.RDMACame, p.RDMALeft
	}
}

// newGate returns a port with its counts so far. Packets that come in at the wire are for the
// server.
func newGate(l *iplink.Link, came, left Count, host bool) Gate {
	if host {
		return Gate{Name: l.Name, ToServer: left, ToClient: came, MTU: l.MTU, Behind: true}
	}
	return Gate{Name: l.Name, ToServer: came, ToClient: left, MTU: l.MTU}
}

// readProcesses reads the CPU times of forwarding in user space.
func (e *Evidence) readProcesses(ctx context.Context, n step.Node) error {
	for _, file := range e.setup.datapath.pidFiles {
		if !path.IsAbs(file) {
			file = e.setup.file(file)
		}
		stat, err := process.Read(ctx, n, file)
		if err != nil {
			return err
		}
		e.Processes[stat.Key()] = stat.CPU.Nanoseconds()
	}
	return nil
}

// gates returns the DPU's ports, with their counts in between.
func (after *Evidence) gates(before *Evidence) []Gate {
	wire, host := after.setup.Ports.Wire, after.setup.Ports.Host
	gate := func(port string) Gate {
		g := after.Gates[port]
		was := before.Gates[port]
		g.ToServer, g.ToClient = g.ToServer.since(was.ToServer), g.ToClient.since(was.ToClient)
		return g
	}
	return []Gate{gate(wire), gate(host)}
}
