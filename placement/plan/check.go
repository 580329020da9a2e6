package plan

import (
	"errors"
	"fmt"
	"slices"

	"dpukv/internal/cpu"
	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/launch"
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

// candidate is a configuration under examination.
type candidate struct {
	sweep   *sweep.Sweep
	testbed *testbed.Testbed
	allowed []int // the CPUs of this machine that may be used

	*sweep.Config
	nodes   testbed.Assignment
	missing error // why the testbed lacks the nodes
	store   kvs.Store
}

// checks are what a configuration is examined for. Each returns the first reason against it.
var checks = []struct {
	of     func(*candidate) error
	nodes  bool // it needs those of the placement
	each   bool // every reason is told, else the first one only
	unused bool // also of the stores' keys in a sweep of probes
	probes bool // of probes, else of stores
}{
	{of: (*candidate).checkPlacement, each: true, unused: true},
	{of: (*candidate).checkStoreSubmode, nodes: true, each: true, unused: true},
	{of: (*candidate).checkPorts, nodes: true},
	{of: (*candidate).checkRequests, nodes: true},
	{of: (*candidate).checkNeighbour, nodes: true},
	{of: (*candidate).checkMemory},
	{of: (*candidate).checkHalves, nodes: true},
	{of: (*candidate).checkUnused},
	{of: (*candidate).checkWaits, nodes: true},
	{of: (*candidate).checkTrace},
	{of: (*candidate).checkLoad},
	{of: (*candidate).checkProbe, each: true, probes: true},
}

// Check refuses a sweep and a testbed that are each valid, but cannot be combined. allowed are the
// CPUs of this machine that may be used.
func Check(s *sweep.Sweep, t *testbed.Testbed, allowed []int) error {
	if n := s.Size(sweep.MaxPoints); n == sweep.MaxPoints {
		return fmt.Errorf("the sweep has %d points or more: shorten one of its lists",
			sweep.MaxPoints)
	}
	of := *s
	of.Measures = nil
	found := make([][]error, len(checks))
	told := map[string]bool{}
	for _, c := range slices.Concat(of.Configs(), s.ProbeConfigs()) {
		a := &candidate{sweep: s, testbed: t, allowed: allowed, Config: &c}
		if a.nodes, a.missing = Assign(t, &c); !c.IsProbe() {
			var err error
			if a.store, err = stores.Named(c.Store); err != nil {
				return err
			}
		}
		for i, check := range checks {
			if check.probes != c.IsProbe() || check.nodes && a.missing != nil ||
				!check.probes && !check.unused && !s.MeasuresStores() ||
				!check.each && found[i] != nil {
				continue
			}
			if err := check.of(a); err != nil && !told[err.Error()] {
				told[err.Error()] = true
				found[i] = append(found[i], err)
			}
		}
	}
	return errors.Join(append(slices.Concat(found...), sweep.CheckRates(s), sweep.CheckRepeats(s),
		sweep.CheckRequests(s))...)
}

func (a *candidate) checkPlacement() error {
	err := a.checkNodes()
	if err != nil {
		err = fmt.Errorf("%splacement: %w", a.sweep.Place("placement", a.Placement), err)
	}
	return err
}

// checkNodes refuses a placement that the testbed does not have, or nodes that cannot be used.
func (a *candidate) checkNodes() error {
	if a.missing != nil {
		return a.missing
	}
	for _, n := range a.nodes.All() {
		if err := a.checkNode(n); err != nil {
			return err
		}
	}
	return nil
}

// checkNode refuses fields that the launcher does not support, and missing CPUs, where the node's
// CPUs are known.
func (a *candidate) checkNode(n *testbed.Node) error {
	if !n.Emulated() {
		if _, err := launch.Command(&n.Node, []string{node.Subcommand}); err != nil {
			return fmt.Errorf("%s%w", a.testbed.Place(n.Name), err)
		}
	}
	for _, c := range n.CPUs {
		if n.OnThisMachine() && !slices.Contains(a.allowed, c) {
			return fmt.Errorf("%snode %s: CPU %d is not one this process may use (%s)",
				a.testbed.Place(n.Name), n.Name, c, cpu.FormatList(a.allowed))
		}
	}
	return nil
}

// checkNeighbour refuses neighbours of a server that ran already, and those without a node.
func (a *candidate) checkNeighbour() error {
	if a.Neighbour == "" {
		return nil
	}
	at := a.sweep.Place("neighbour", a.Neighbour)
	if a.Attach != "" {
		return fmt.Errorf("%sneighbour: found %s with attach, allowed: none; the CPUs of a "+
			"server that runs already are not known here", at, a.Neighbour)
	}
	host, err := neighbour.Host(a.testbed, &a.nodes)
	if err == nil {
		err = a.checkNode(host)
	}
	if err != nil {
		return fmt.Errorf("%sneighbour: %w", at, err)
	}
	return nil
}

// checkMemory refuses a limit for a server that ran already.
func (a *candidate) checkMemory() error {
	if a.MemoryBytes == 0 || a.Attach == "" {
		return nil
	}
	text := numfmt.Size(a.MemoryBytes).String()
	return fmt.Errorf("%smemory: found %s with attach, allowed: auto; a server that runs already "+
		"has its own limit", a.sweep.Place("memory", text), text)
}

// checkPorts refuses servers that listen on more ports than their nodes have.
func (a *candidate) checkPorts() error {
	if a.Attach != "" {
		return nil // none is started
	}
	n, need := &a.nodes.Server, a.store.PortsOf(a.ServerThreads)
	what := fmt.Sprintf("a server of %s with server_threads: %d", a.Store, a.ServerThreads)
	if a.nodes.Store != nil {
		threads := process.EngineThreads(a.Config)
		need = a.store.PortsOf(threads)
		what = fmt.Sprintf("an engine of %s with %d threads", a.Store, threads)
	}
	for _, p := range process.Of(&a.nodes) {
		if (p.Role == process.Store || p.Role == process.Proxy) && p.Node.Name == n.Name {
			need++ // of its side channel
			what += ", and for the " + string(p.Role)
		}
	}
	if have := n.Ports.Count(); have < need {
		return fmt.Errorf("%snode %s: ports: found %s (%d), allowed: at least %d for %s; widen "+
			"the range, in the firewall too", a.testbed.Place(n.Name), n.Name, n.Ports, have, need,
			what)
	}
	return nil
}

// checkRequests refuses requests that the clients of a point can't share evenly.
func (a *candidate) checkRequests() error {
	if n := len(a.nodes.Clients); a.Requests%n != 0 {
		return fmt.Errorf("%srequests: found %d with %d clients, allowed: a multiple of %d, "+
			"as each client has the same share", a.sweep.Place("requests", fmt.Sprint(a.Requests)),
			a.Requests, n, n)
	}
	return nil
}

// checkProbe refuses probes that the testbed, or their own values, do not allow.
func (a *candidate) checkProbe() error {
	kind := a.Probe()
	name := a.sweep.Place("measure", kind.Name) + "measure: " + kind.Name
	if kind.Check != nil {
		if err := kind.Check(a.Settings); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := a.checkNodes(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !kind.Pair {
		return nil
	}
	if len(a.nodes.Clients) > 1 {
		return fmt.Errorf("%s: found %s, allowed: placements with one client", name, a.Placement)
	}
	if err := a.checkSubmode(kind.Verbs); err != nil {
		return fmt.Errorf("%s: submode %s with %s: %w", name, a.Submode, a.Placement, err)
	}
	return nil
}
