package placement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/placement/emulate"
	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
)

// SubmodeTool does by hand, on one DPU of a testbed, what a sweep does for each point.
type SubmodeTool struct {
	bed     Testbed
	machine *machines
	dpu     *Node
	what    *submode.Submode
	name    string
	command string            // this binary
	stands  *emulate.Standing // the machines that apply made; nil: none
}

// SubmodeOptions say on which DPU, and how.
type SubmodeOptions struct {
	Testbed  Testbed
	Submode  string
	Node     string // "": the DPU of the server side's host
	Datapath string // "": the testbed's, else the first that the node has
	Filter   packetfilter.Filter
	Command  string // this binary
}

// NewSubmodeTool refuses what cannot be had, before it visits the node.
func NewSubmodeTool(o SubmodeOptions) (*SubmodeTool, error) {
	dpu, err := o.Testbed.onPathNode(o.Node)
	if err != nil {
		return nil, err
	}
	if o.Datapath != "" {
		dpu.Datapath.Chosen = map[string]string{o.Submode: o.Datapath}
	}
	self := o.Command
	if !dpu.here() && dpu.target() == submode.Linux && dpu.Binary != "" {
		o.Command = dpu.Binary
	}
	allowed, err := cpu.Allowed()
	if err != nil {
		return nil, err
	}
	what, err := dpu.submode(o.Submode, o.Command, allowed, o.Filter)
	if err != nil {
		return nil, fmt.Errorf("%snode %s: %w", o.Testbed.place(dpu.Name), dpu.Name, err)
	}
	return &SubmodeTool{bed: o.Testbed, machine: &machines{bed: o.Testbed}, dpu: dpu, what: what, name: o.Submode, command: self}, nil
}

// onPathNode is a copy of the DPU's node.
func (t *Testbed) onPathNode(name string) (*Node, error) {
	var dpus []string
	for i := range t.Nodes {
		n := t.Nodes[i]
		if n.Kind != kindDPU {
			continue
		}
		dpus = append(dpus, n.Name)
		if n.Name == name || name == "" && slices.Contains(t.ServerSide, n.Of) {
			return &n, nil
		}
	}
	if name == "" {
		return nil, fmt.Errorf("testbed %s: found no DPU of a host on the server side, allowed: a node {kind: dpu, of: HOST}", t.Name)
	}
	return nil, fmt.Errorf("found node %s, allowed: a DPU of testbed %s (%v)", name, t.Name, dpus)
}

// Plan writes the commands. It visits no node.
func (s *SubmodeTool) Plan(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "# node %s of testbed %s\n", s.dpu.Name, s.bed.Name); err != nil {
		return err
	}
	return s.what.Plan(w)
}

// Apply sets the datapath up, and leaves it; machines that are not there yet, too.
func (s *SubmodeTool) Apply(ctx context.Context, w io.Writer) error {
	unlock, err := s.bed.lock(toChange)
	if err != nil {
		return err
	}
	defer unlock()
	err = s.open()
	if err == nil && s.dpu.made() {
		err = s.standUp(ctx)
	}
	if err != nil {
		return err
	}
	l, err := s.what.Apply(ctx, s.node(s.dpu))
	if err != nil {
		return errors.Join(err, s.takeDown(ctx))
	}
	tell(w, l.Warnings())
	fmt.Fprintf(w, "%s is applied to node %s: %s\n", s.name, s.dpu.Name, l.Describe())
	return s.tellMachines(w)
}

func tell(w io.Writer, notes []string) {
	for _, note := range notes {
		fmt.Fprintln(w, note)
	}
}

// Undo takes it back.
func (s *SubmodeTool) Undo(ctx context.Context, w io.Writer) error {
	unlock, err := s.bed.lock(toChange)
	if err != nil {
		return err
	}
	defer unlock()
	var notes []string
	err = s.open()
	switch {
	case err != nil:
	case s.dpu.made():
		err = s.takeDown(ctx)
	default:
		notes, err = submode.Undo(ctx, s.node(s.dpu), s.dpu.target())
	}
	tell(w, notes)
	if err == nil {
		_, err = fmt.Fprintf(w, "node %s is as it was\n", s.dpu.Name)
	}
	return err
}

// adopt finds what is applied.
func (s *SubmodeTool) adopt(ctx context.Context) (*submode.Lease, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	again := "dpukv submode apply " + strings.TrimPrefix(s.name, "sm") + " --testbed " + s.bed.Name
	switch {
	case s.dpu.made() && s.stands == nil:
		return nil, fmt.Errorf("node %s: found nothing applied, allowed: %s; %s", s.dpu.Name, s.name, again)
	case s.dpu.made() && !s.stands.Alive():
		return nil, fmt.Errorf("node %s: found its machines gone: the process that held them (PID %d) has ended; %s", s.dpu.Name, s.stands.Held.PID, again)
	}
	return s.what.Adopt(ctx, s.node(s.dpu))
}

// Verify checks that the datapath is up and, if a client's node and the server's can be reached, that pings between them take it.
func (s *SubmodeTool) Verify(ctx context.Context, w io.Writer) error {
	unlock, err := s.bed.lock(toLook)
	if err != nil {
		return err
	}
	defer unlock()
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
		err = s.ping(ctx)
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
	_, err = fmt.Fprintf(w, "pings took it: %v\n", proof.Packets)
	return err
}

// ping sends some packets from the client's host to the server's.
func (s *SubmodeTool) ping(ctx context.Context) error {
	c, err := s.bed.cast("CH-SH")
	if err != nil {
		return fmt.Errorf("whether packets take it cannot be seen: %w", err)
	}
	if c.server.Name != s.dpu.Of {
		return errors.New("whether packets take it cannot be seen: the DPU is not that of CH-SH's server")
	}
	client := &c.clients[0]
	_, err = s.node(client).Run(ctx, []string{"ping", "-q", "-c", "200", "-i", "0.01", "-W", "2", c.server.Address})
	if err != nil {
		return fmt.Errorf("node %s does not reach %s: %w", client.Name, c.server.Name, err)
	}
	return nil
}
