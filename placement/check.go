package placement

import (
	"errors"
	"fmt"
	"slices"

	"dpukv/internal/cpu"
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
	for _, submode := range s.Submodes {
		if submode != offPath {
			errs = append(errs, fmt.Errorf("%ssubmodes: %s is not built yet; works: %s", s.place("submodes", submode), submode, offPath))
		}
	}
	for _, placement := range s.Placements {
		if err := checkPlacement(t, placement, allowed); err != nil {
			errs = append(errs, fmt.Errorf("%splacements: %w", s.place("placements", placement), err))
		}
	}
	return errors.Join(append(errs, checkConfigs(s))...)
}

// offPath is the mode in which host traffic by-passes the DPU's cores.
const offPath = "off-path"

func checkPlacement(t *Testbed, placement string, allowed []int) error {
	p, err := t.pairFor(placement)
	if err != nil {
		return err
	}
	for _, n := range []*Node{&p.client, &p.server} {
		if _, err := launch(n, nil); err != nil {
			return fmt.Errorf("%s%w", t.place(n.Name), err)
		}
		for _, c := range n.CPUs {
			if !slices.Contains(allowed, c) {
				return fmt.Errorf("%snode %s: CPU %d is not one this process may use (%s)", t.place(n.Name), n.Name, c, cpu.FormatList(allowed))
			}
		}
	}
	return nil
}

// checkConfigs looks for values that fit their keys but not each other.
func checkConfigs(s *Sweep) error {
	for _, c := range s.configs() {
		w, err := c.workload()
		if err == nil {
			err = w.Validate()
		}
		if err != nil {
			return fmt.Errorf("%s%w", s.place("keys", fmt.Sprint(c.Keys)), err)
		}
		if most := stores[c.Store].maxBatch; c.Batch > most {
			return fmt.Errorf("%sbatch: found %d, allowed: at most %d, which is what %s takes", s.place("batch", fmt.Sprint(c.Batch)), c.Batch, most, c.Store)
		}
		if err := stores[c.Store].check(&c); err != nil {
			return fmt.Errorf("%s%w", s.place("stores", c.Store), err)
		}
	}
	return nil
}
