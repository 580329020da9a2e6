package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// check refuses a sweep and a testbed that are each valid, but cannot be combined. It runs before
// anything starts. allowed are the CPUs of this machine that may be used.
func check(s *sweep.Sweep, t *testbed.Testbed, allowed []int) error {
	if n := s.Size(sweep.MaxPoints); n == sweep.MaxPoints {
		return fmt.Errorf("the sweep has %d points or more: shorten one of its lists",
			sweep.MaxPoints)
	}
	var errs []error
	for _, placement := range s.Placements {
		if err := checkPlacement(t, placement, allowed); err != nil {
			errs = append(errs, fmt.Errorf("%splacements: %w", s.Place("placements", placement),
				err))
		}
	}
	errs = append(append(errs, checkSubmodes(s, t)...), checkPorts(s, t))
	errs = append(errs, sweep.CheckAttach(s), sweep.CheckRates(s), sweep.CheckRepeats(s))
	return errors.Join(append(errs, checkConfigs(s))...)
}

func checkPlacement(t *testbed.Testbed, placement string, allowed []int) error {
	c, err := t.Assign(placement)
	if err != nil {
		return err
	}
	for _, n := range c.All() {
		if err := checkNode(t, n, allowed); err != nil {
			return err
		}
	}
	return nil
}

// checkPorts refuses servers that listen on more ports than their nodes have.
func checkPorts(s *sweep.Sweep, t *testbed.Testbed) error {
	for _, c := range s.Configs() {
		nodes, err := t.Assign(c.Placement)
		st, unknown := stores.Named(c.Store)
		if err != nil || unknown != nil || c.Attach != "" {
			continue // said elsewhere, or none is started
		}
		n, need := &nodes.Server, st.PortsOf(c.ServerThreads)
		if have := n.Ports.Count(); have < need {
			return fmt.Errorf("%snode %s: ports: found %s (%d), allowed: at least %d for a server "+
				"of %s with server_threads: %d; widen the range, in the firewall too",
				t.Place(n.Name), n.Name, n.Ports, have, need, c.Store, c.ServerThreads)
		}
	}
	return nil
}

// checkNode refuses fields that the launcher does not support, and missing CPUs, where the node's
// CPUs are known.
func checkNode(t *testbed.Testbed, n *testbed.Node, allowed []int) error {
	if !n.Emulated() {
		if _, err := launch.Command(&n.Node, []string{node.Subcommand}); err != nil {
			return fmt.Errorf("%s%w", t.Place(n.Name), err)
		}
	}
	for _, c := range n.CPUs {
		if n.OnThisMachine() && !slices.Contains(allowed, c) {
			return fmt.Errorf("%snode %s: CPU %d is not one this process may use (%s)",
				t.Place(n.Name), n.Name, c, cpu.FormatList(allowed))
		}
	}
	return nil
}

// checkTools refuses launchers that lack something on this machine, such as a program or an
// allocation.
func checkTools(p *Plan) error {
	var errs, stores []error
	var lacking launch.Failures
	told := map[string]bool{} // by node
	for _, placement := range p.sweep.Placements {
		c, err := p.testbed.Assign(placement)
		if err != nil {
			return err
		}
		if err := checkPrograms(p, &c.Server); err != nil && stores == nil {
			stores = []error{err}
		}
		for _, n := range c.All() {
			if told[n.Name] || n.Emulated() {
				continue
			}
			told[n.Name] = true
			lacking.Add(n.Name, launch.Check(&n.Node))
		}
	}
	for _, f := range lacking.List() {
		errs = append(errs, fmt.Errorf("%s%s", p.testbed.Place(f.Nodes[0]), f))
	}
	return errors.Join(append(stores, errs...)...)
}

// checkConfigs refuses values that are each valid for their keys, but contradict each other.
func checkConfigs(s *sweep.Sweep) error {
	for _, c := range s.Configs() {
		if err := checkConfig(s, &c); err != nil {
			return err
		}
	}
	return nil
}

func checkConfig(s *sweep.Sweep, c *sweep.Config) error {
	st, err := stores.Named(c.Store)
	if err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return fmt.Errorf("%s%w", s.PlaceOf(err), err)
	}
	if c.Batch > st.MaxBatch {
		return fmt.Errorf("%sbatch: found %d, allowed: at most %d, which is what %s takes",
			s.Place("batch", fmt.Sprint(c.Batch)), c.Batch, st.MaxBatch, c.Store)
	}
	if c.Protocol != "" && !slices.Contains(st.Protocols, c.Protocol) {
		return fmt.Errorf("%sprotocol: found %s with %s, allowed: %s",
			s.Place("protocol", sweep.Protocols.Format(c.Protocol)), c.Protocol, c.Store,
			strings.Join(append([]string{sweep.OwnProtocol}, st.Protocols...), ", "))
	}
	if c.Hash == kvs.NoHash && st.HashesKeys() {
		return fmt.Errorf("%shash: found %s with %s, whose server wants its clients' hashes, "+
			"allowed: %s",
			s.Place("hash", c.Hash), c.Hash, c.Store, strings.Join(hashbench.Names(), ", "))
	}
	if st.Check == nil {
		return nil
	}
	err = st.Check(&kvs.LoadConfig{
		KeyBytes: c.KeyBytes, ValueBytes: c.ValueBytes, Batch: c.Batch, Window: c.Window,
		Access: c.Access, Protocol: c.Protocol,
	})
	if err != nil {
		return fmt.Errorf("%s%w", s.Place("stores", c.Store), err)
	}
	return nil
}

// checkPrograms refuses stores whose program is not installed. It checks only this machine: other
// nodes are not visited yet.
func checkPrograms(p *Plan, server *testbed.Node) error {
	if !server.OnThisMachine() || p.sweep.Attach != "" {
		return nil
	}
	for _, name := range p.sweep.Stores {
		st, err := stores.Named(name)
		if err == nil && st.Program != nil {
			_, err = st.Program()
		}
		if err != nil {
			return fmt.Errorf("%sstores: %w", p.sweep.Place("stores", name), err)
		}
	}
	return nil
}
