package submodetool

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/step"
	"dpukv/placement/testbed"
)

// standingDir has a file for each testbed whose machines "submode apply" made and "submode undo"
// has not removed yet.
const standingDir = "/run/dpukv/lab"

// standingFile returns the file name for the testbed's file.
func (s *Tool) standingFile() (string, error) {
	path, err := filepath.Abs(s.bed.Name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("%s/%x.json", standingDir, sum[:8]), nil
}

// open finds the machines that an earlier apply made. stands is nil if there are none left.
func (s *Tool) open() error {
	if !s.dpu.Emulated() {
		return launch.Check(&s.dpu.Node)
	}
	file, err := s.standingFile()
	if err != nil {
		return err
	}
	s.stands, err = emulate.OpenStanding(file)
	if err == nil && s.stands != nil && s.stands.Alive() {
		s.bed.Emulate(s.stands.Address)
		return nil
	}
	return err
}

// node runs commands on a node.
func (s *Tool) node(n *testbed.Node) step.Node {
	if n.Emulated() {
		return step.Via(n.Name, func(argv []string) ([]string, error) {
			return s.stands.Argv(n.Name, argv)
		})
	}
	return s.machine.SubmodeNode(n)
}

// standUp makes the machines, and replaces those of an earlier apply.
func (s *Tool) standUp(ctx context.Context) error {
	if !slices.Contains(s.bed.ServerSide, s.dpu.Of) {
		return fmt.Errorf("found node %s, allowed between machines that apply makes: the DPU of "+
			"a host on the server side", s.dpu.Name)
	}
	if err := s.takeDown(ctx); err != nil {
		return err
	}
	file, err := s.standingFile()
	if err != nil {
		return err
	}
	spec := machines.LabSpec(&s.bed, s.name)
	spec.Keeper = []string{s.command, "lab"}
	lab, err := emulate.Start(ctx, spec)
	if err != nil {
		return fmt.Errorf("make the machines of testbed %s: %w", s.bed.Name, err)
	}
	if _, err = lab.SetCores(s.dpu.Name, len(s.what.CPUs())); err == nil {
		s.stands, err = lab.Stand(file)
	}
	if err != nil {
		return errors.Join(err, lab.Close())
	}
	s.what.OwnedBy(s.stands.Owner())
	s.bed.Emulate(s.stands.Address)
	return nil
}

// takeDown undoes the applied submode, and removes the machines.
func (s *Tool) takeDown(ctx context.Context) error {
	if s.stands == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	var err error
	if s.stands.Alive() {
		_, err = submode.Undo(ctx, s.node(s.dpu), s.dpu.Target())
	}
	err = errors.Join(err, s.stands.End())
	s.stands = nil
	here := step.Via("this machine", func(argv []string) ([]string, error) { return argv, nil })
	return errors.Join(err, submode.RemoveAbandoned(ctx, here, s.dpu.Target()))
}

// tellMachines tells how to run a command on the machines.
func (s *Tool) tellMachines(w io.Writer) error {
	if s.stands == nil {
		return nil
	}
	fmt.Fprintln(w, "The machines stay until dpukv testbed submode undo. A shell on each:")
	for _, name := range s.stands.Machines {
		space, err := s.stands.Namespace(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s %s: nsenter --net=%s\n", name, s.stands.Address(name), space)
	}
	return nil
}
