package placement

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/placement/launch"
)

// maxPoints is more than a year of sweeping: a sweep with more has a mistake in an axis.
const maxPoints = 1_000_000

// check refuses, before anything starts, what the two files say each rightly but cannot be had together.
// allowed are the CPUs of this machine that may be used.
func check(s *Sweep, t *Testbed, allowed []int) error {
	if n := s.size(maxPoints); n == maxPoints {
		return fmt.Errorf("the sweep has %d points or more: shorten one of its lists", maxPoints)
	}
	var errs []error
	for _, placement := range s.Placements {
		if err := checkPlacement(t, placement, s.Stores, allowed); err != nil {
			errs = append(errs, fmt.Errorf("%splacements: %w", s.place("placements", placement), err))
		}
	}
	errs = append(errs, checkSubmodes(s, t)...)
	return errors.Join(append(errs, checkAttach(s), checkConfigs(s))...)
}

func checkPlacement(t *Testbed, placement string, kinds []string, allowed []int) error {
	c, err := t.cast(placement)
	if err != nil {
		return err
	}
	for _, n := range c.all() {
		if err := checkNode(t, n, allowed); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(kinds, func(store string) bool { return stores[store].rdma }) {
		return checkDevices(t, &c)
	}
	return nil
}

// checkNode refuses fields that the launcher does not know what to do with, and CPUs that are not there, where that is known.
func checkNode(t *Testbed, n *Node, allowed []int) error {
	if !n.made() {
		if _, err := launch.Command(&n.Node, []string{agentCommand}); err != nil {
			return fmt.Errorf("%s%w", t.place(n.Name), err)
		}
	}
	for _, c := range n.CPUs {
		if n.here() && !slices.Contains(allowed, c) {
			return fmt.Errorf("%snode %s: CPU %d is not one this process may use (%s)", t.place(n.Name), n.Name, c, cpu.FormatList(allowed))
		}
	}
	return nil
}

// checkTools refuses what the launchers lack here, such as a program or an allocation.
func (p *Plan) checkTools() error {
	var errs []error
	told := map[string]bool{} // by node, and of the stores
	for _, placement := range p.sweep.Placements {
		c, err := p.testbed.cast(placement)
		if err != nil {
			return err
		}
		if err := p.checkPrograms(&c.server); err != nil && !told["stores"] {
			errs, told["stores"] = append(errs, err), true
		}
		for _, n := range c.all() {
			if told[n.Name] || n.made() {
				continue
			}
			told[n.Name] = true
			if err := launch.Check(&n.Node); err != nil {
				errs = append(errs, fmt.Errorf("%s%w", p.testbed.place(n.Name), err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkDevices refuses nodes that could not talk by RDMA, or whose points would be of two kinds of device at once.
func checkDevices(t *Testbed, c *cast) error {
	var first, firstKind string
	for _, n := range c.all() {
		device, err := c.device(n)
		if err != nil {
			return fmt.Errorf("%s%w", t.place(n.Name), err)
		}
		kind, _, _ := strings.Cut(device, ":")
		if first == "" {
			first, firstKind = n.Name, kind
		}
		if kind != firstKind {
			return fmt.Errorf("%snode %s: found the rdma device %s, and %s has %s, allowed: the same kind on all nodes of a placement", t.place(n.Name), n.Name, device, first, firstKind)
		}
	}
	return nil
}

// checkConfigs looks for values that fit their keys but not each other.
func checkConfigs(s *Sweep) error {
	for _, c := range s.configs() {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("%s%w", s.placeOf(err), err)
		}
		if most := stores[c.Store].maxBatch; c.Batch > most {
			return fmt.Errorf("%sbatch: found %d, allowed: at most %d, which is what %s takes", s.place("batch", fmt.Sprint(c.Batch)), c.Batch, most, c.Store)
		}
		if known := stores[c.Store].protocols; c.Protocol != "" && !slices.Contains(known, c.Protocol) {
			return fmt.Errorf("%sprotocol: found %s with %s, allowed: %s", s.place("protocol", protocols.format(c.Protocol)), c.Protocol, c.Store,
				strings.Join(append([]string{ownProtocol}, known...), ", "))
		}
		if c.Hash == kvs.NoHash && stores[c.Store].study.Hash != kvs.NoHash {
			return fmt.Errorf("%shash: found %s with %s, whose server wants its clients' hashes, allowed: %s", s.place("hash", c.Hash), c.Hash, c.Store,
				strings.Join(hashbench.Names(), ", "))
		}
		if err := stores[c.Store].check(&c); err != nil {
			return fmt.Errorf("%s%w", s.place("stores", c.Store), err)
		}
	}
	return nil
}
