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
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/placement/submode"
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
			errs = append(errs, fmt.Errorf("%splacement: %w", s.Place("placement", placement),
				err))
		}
	}
	errs = append(append(errs, checkSubmodes(s, t)...), checkPorts(s, t))
	errs = append(errs, sweep.CheckRates(s), sweep.CheckRepeats(s), sweep.CheckRequests(s),
		checkRequests(s, t))
	errs = append(errs, checkNeighbours(s, t, allowed), checkHalves(s, t))
	return errors.Join(append(errs, checkConfigs(s), checkProbes(s, t, allowed))...)
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

// checkNeighbours refuses neighbours of a server that ran already, and those without a node.
func checkNeighbours(s *sweep.Sweep, t *testbed.Testbed, allowed []int) error {
	for _, c := range s.Configs() {
		nodes, err := t.Assign(c.Placement)
		if c.Neighbour == "" || err != nil {
			continue // said elsewhere
		}
		if c.Attach != "" {
			return fmt.Errorf("%sneighbour: found %s with attach, allowed: none; the CPUs of a "+
				"server that runs already are not known here",
				s.Place("neighbour", c.Neighbour), c.Neighbour)
		}
		host, err := neighbour.Host(t, &nodes)
		if err == nil {
			err = checkNode(t, host, allowed)
		}
		if err != nil {
			return fmt.Errorf("%sneighbour: %w", s.Place("neighbour", c.Neighbour), err)
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
		if err := checkPortsOf(t, &c, &nodes, &st); err != nil {
			return err
		}
	}
	return nil
}

func checkPortsOf(
	t *testbed.Testbed, c *sweep.Config, nodes *testbed.Assignment, st *kvs.Store,
) error {
	n, need := &nodes.Server, st.PortsOf(c.ServerThreads)
	what := fmt.Sprintf("a server of %s with server_threads: %d", c.Store, c.ServerThreads)
	if nodes.Store != nil {
		need = st.PortsOf(engineThreads(c))
		what = fmt.Sprintf("an engine of %s with %d threads", c.Store, engineThreads(c))
	}
	for i, half := range []*testbed.Node{nodes.Store, nodes.Proxy} {
		if half != nil && half.Name == n.Name {
			need++ // of its side channel
			what += ", and for the " + []string{roleStore, roleProxy}[i]
		}
	}
	if have := n.Ports.Count(); have < need {
		return fmt.Errorf("%snode %s: ports: found %s (%d), allowed: at least %d for %s; widen "+
			"the range, in the firewall too", t.Place(n.Name), n.Name, n.Ports, have, need, what)
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
	for _, c := range p.spots() {
		nodes, err := assign(&p.testbed, &c)
		if err != nil {
			return err
		}
		if !c.IsProbe() && stores == nil {
			if err := checkPrograms(p, &nodes.Server); err != nil {
				stores = []error{err}
			}
		}
		for _, n := range append(nodes.All(), p.neighbours(&nodes)...) {
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
	if err := st.CheckTTL(c.TTL); err != nil {
		return fmt.Errorf("%s%w", s.Place("ttl", c.TTL.String()), err)
	}
	if err := checkReconnects(s, c, &st); err != nil || st.Check == nil {
		return err
	}
	err = st.Check(&kvs.LoadConfig{
		KeyBytes: c.KeyBytes, MaxValueBytes: c.MaxValueBytes(), Batch: c.Batch, Window: c.Window,
		Access: c.Access, Protocol: c.Protocol,
	})
	if err != nil {
		return fmt.Errorf("%s%w", s.Place("store", c.Store), err)
	}
	return nil
}

// checkReconnects refuses to reopen connections where nothing reopens them, and on a datapath. The
// evidence of a datapath compares its packets with those that the ends counted, and the kernel
// forgets the last packets of a closed connection.
func checkReconnects(s *sweep.Sweep, c *sweep.Config, st *kvs.Store) error {
	with := c.Store
	switch {
	case c.ReconnectEvery == 0:
		return nil
	case st.OverVerbs():
	case c.Submode != submode.OffPath:
		with = "submode " + c.Submode
	default:
		return nil
	}
	return fmt.Errorf("%sreconnect_every: found %d with %s, allowed: 0; connections reopen over "+
		"TCP, in submode %s", s.Place("reconnect_every", fmt.Sprint(c.ReconnectEvery)),
		c.ReconnectEvery, with, submode.OffPath)
}

// checkRequests refuses requests that the clients of a point can't share evenly.
func checkRequests(s *sweep.Sweep, t *testbed.Testbed) error {
	for _, c := range s.Configs() {
		if c.Requests == 0 {
			continue
		}
		nodes, err := t.Assign(c.Placement)
		if err != nil {
			continue // checkPlacement says so
		}
		if n := len(nodes.Clients); c.Requests%n != 0 {
			return fmt.Errorf("%srequests: found %d with %d clients, allowed: a multiple of %d, "+
				"as each client has the same share", s.Place("requests", fmt.Sprint(c.Requests)),
				c.Requests, n, n)
		}
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
			return fmt.Errorf("%sstore: %w", p.sweep.Place("store", name), err)
		}
	}
	return nil
}

// CheckGuest refuses placements that a guest cannot measure. A guest has no network, and of this
// machine only its programs.
func CheckGuest(p *Plan) error {
	if p.Attach != "" {
		return fmt.Errorf("--in-guest: found --attach %s, allowed: a server that the sweep "+
			"starts, as the guest has no network", p.Attach)
	}
	for i := range p.testbed.Nodes {
		n := &p.testbed.Nodes[i]
		switch {
		case !n.OnThisMachine():
			return fmt.Errorf("--in-guest: %sfound node %s via: %s, allowed: via: local, and "+
				"via: netns without a namespace, as the guest has no network",
				p.testbed.Place(n.Name), n.Name, n.Via)
		case n.Namespace != "":
			return fmt.Errorf("--in-guest: %sfound node %s in the namespace %s, allowed: via: "+
				"netns without one, as the guest has its own",
				p.testbed.Place(n.Name), n.Name, n.Namespace)
		case n.Binary != "":
			return fmt.Errorf("--in-guest: %sfound node %s with a binary of its own, allowed: "+
				"without, as the guest has this one", p.testbed.Place(n.Name), n.Name)
		}
	}
	return nil
}

// refuseOtherKernel keeps points of a guest and of its host machine out of one folder.
func refuseOtherKernel(dir string, there *nodeEnv) error {
	switch was := testbed.GuestOf(there.Facts); {
	case was == testbed.ThisGuest():
		return nil
	case was == "":
		return fmt.Errorf("%s holds points from outside of %s: continue it without --in-guest, "+
			"or choose another folder", dir, testbed.ThisGuest())
	default:
		return fmt.Errorf("%s holds points from inside of %s: continue it with --in-guest, on a "+
			"machine with the same kernel for guests, or choose another folder", dir, was)
	}
}
