package submodetool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"dpukv/internal/cpu"
	"dpukv/placement/emulate"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/fullsize"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/timer"
	"dpukv/placement/testbed"
)

// Tool applies a submode by hand, on one DPU of a testbed. A sweep does the same for each point.
type Tool struct {
	bed     testbed.Testbed
	machine *machines.Machines
	dpu     *testbed.Node
	what    *submode.Submode
	name    string
	command string            // this binary
	stands  *emulate.Standing // the machines that apply made; nil: none

	undoAfter time.Duration // 0: never
}

// Options name the DPU and the datapath.
type Options struct {
	Testbed  testbed.Testbed
	Submode  string
	Node     string // "": the DPU of the server side's host
	Datapath string // "": the testbed's, else the first that the node has
	Filter   packetfilter.Filter
	Command  string // this binary
	// UndoAfter is the time after which the node undoes an apply by itself; 0: never
	UndoAfter time.Duration
}

// New refuses impossible options before it visits the node.
func New(o Options) (*Tool, error) {
	dpu, err := o.Testbed.OnPathNode(o.Node)
	if err != nil {
		return nil, err
	}
	if o.Datapath != "" {
		dpu.Datapath.Chosen = map[string]string{o.Submode: o.Datapath}
	}
	if o.UndoAfter != 0 {
		if err := timer.Check(o.UndoAfter); err != nil {
			return nil, fmt.Errorf("for: %w", err)
		}
	}
	self := o.Command
	if !dpu.OnThisMachine() && dpu.Target() == submode.Linux && dpu.Binary != "" {
		o.Command = dpu.Binary
	}
	allowed, err := cpu.Allowed()
	if err != nil {
		return nil, err
	}
	what, err := dpu.Submode(o.Submode, o.Command, allowed, o.Filter)
	if err != nil {
		return nil, fmt.Errorf("%snode %s: %w", o.Testbed.Place(dpu.Name), dpu.Name, err)
	}
	if o.UndoAfter != 0 {
		what.UndoAfter(o.UndoAfter, cmp.Or(dpu.Binary, "dpukv")) // for a plan; apply finds the path
	}
	return &Tool{
		bed: o.Testbed, machine: &machines.Machines{Bed: o.Testbed}, dpu: dpu, what: what,
		name: o.Submode, command: self, undoAfter: o.UndoAfter,
	}, nil
}

// Plan writes the commands. It visits no node.
func (s *Tool) Plan(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "# node %s of testbed %s\n", s.dpu.Name, s.bed.Name); err != nil {
		return err
	}
	return s.what.Plan(w)
}

// Apply sets up the datapath and leaves it there. It also makes missing machines, which stay.
func (s *Tool) Apply(ctx context.Context, w io.Writer) error {
	unlock, err := s.bed.Lock(testbed.ToChange)
	if err != nil {
		return err
	}
	defer unlock()
	defer s.machine.Close()
	err = s.open()
	if err == nil && s.dpu.Emulated() {
		err = s.standUp(ctx)
	}
	if err != nil {
		return err
	}
	if err := s.prepareTimer(ctx); err != nil {
		return errors.Join(err, s.takeDown(ctx))
	}
	l, err := s.what.Apply(ctx, s.node(s.dpu))
	if err != nil {
		return errors.Join(err, s.takeDown(ctx))
	}
	tell(w, l.Warnings())
	fmt.Fprintf(w, "%s is applied to node %s: %s\n", s.name, s.dpu.Name, l.Describe())
	s.tellTimer(w)
	return s.tellMachines(w)
}

func tell(w io.Writer, notes []string) {
	for _, note := range notes {
		fmt.Fprintln(w, note)
	}
}

// Undo undoes Apply.
func (s *Tool) Undo(ctx context.Context, w io.Writer) error {
	unlock, err := s.bed.Lock(testbed.ToChange)
	if err != nil {
		return err
	}
	defer unlock()
	defer s.machine.Close()
	var notes []string
	err = s.open()
	switch {
	case err != nil:
	case s.dpu.Emulated():
		err = s.takeDown(ctx)
	default:
		notes, err = submode.Undo(ctx, s.node(s.dpu), s.dpu.Target())
	}
	tell(w, notes)
	if err == nil {
		_, err = fmt.Fprintf(w, "node %s is as it was\n", s.dpu.Name)
	}
	return err
}

// adopt finds the applied submode.
func (s *Tool) adopt(ctx context.Context) (*submode.Lease, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	again := "dpukv testbed submode apply " + strings.TrimPrefix(s.name, "sm") + " --testbed " +
		s.bed.Name
	switch {
	case s.dpu.Emulated() && s.stands == nil:
		return nil, fmt.Errorf("node %s: found nothing applied, allowed: %s; %s", s.dpu.Name,
			s.name, again)
	case s.dpu.Emulated() && !s.stands.Alive():
		return nil, fmt.Errorf("node %s: found its machines gone: the process that held them "+
			"(PID %d) has ended; %s", s.dpu.Name, s.stands.Held.PID, again)
	}
	return s.what.Adopt(ctx, s.node(s.dpu))
}

// Verify checks that the datapath is up. If it can reach the nodes of a client and the server, it
// also checks that pings between them take the datapath.
func (s *Tool) Verify(ctx context.Context, w io.Writer) error {
	unlock, err := s.bed.Lock(testbed.ToLook)
	if err != nil {
		return err
	}
	defer unlock()
	defer s.machine.Close()
	l, err := s.adopt(ctx)
	if err == nil {
		err = l.Verify(ctx)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s is up on node %s: %s\n", s.name, s.dpu.Name, l.Describe())
	before, err := l.Evidence(ctx)
	if err == nil {
		err = s.ping(ctx, l)
	}
	if err != nil {
		return err
	}
	after, err := l.Evidence(ctx)
	if err != nil {
		return err
	}
	proof, err := submode.Prove(before, after)
	if err != nil {
		return err
	}
	for _, text := range proof.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	return writeProof(w, proof)
}

// ping checks the full size on a card. It then sends some packets from the client's host to the
// server's.
func (s *Tool) ping(ctx context.Context, l *submode.Lease) error {
	c, err := s.bed.Assign("CH-SH")
	if err != nil {
		return fmt.Errorf("whether packets take it cannot be seen: %w", err)
	}
	if c.Server.Name != s.dpu.Of {
		return errors.New("whether packets take it cannot be seen: the DPU is not that of " +
			"CH-SH's server")
	}
	client := &c.Clients[0]
	err = l.CheckFullSize(ctx, fullsize.End{Node: s.node(client), Address: client.Address},
		fullsize.End{Node: s.node(&c.Server), Address: c.Server.Address})
	if err != nil {
		return err
	}
	_, err = s.node(client).Run(ctx,
		[]string{"ping", "-q", "-c", "200", "-i", "0.01", "-W", "2", c.Server.Address})
	if err != nil {
		return fmt.Errorf("node %s does not reach %s: %w", client.Name, c.Server.Name, err)
	}
	return nil
}
