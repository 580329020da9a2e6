package emulate

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of a spec. The least MTU is IPv6's (RFC 8200, 5), and the highest is a veth's.
const (
	maxMachines    = 64
	minMTU, maxMTU = 1280, 65535
)

// machineName matches names that fit a folder (the control group) and an error.
var machineName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// check refuses an impossible spec.
func (s *Spec) check() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := len(s.Machines); n == 0 || n > maxMachines {
		fault("found %d machines, allowed: 1 to %d", n, maxMachines)
	}
	if m := s.mtu(); m < minMTU || m > maxMTU {
		fault("MTU: found %d, allowed: %d to %d", m, minMTU, maxMTU)
	}
	if o := s.offloads(); o != On && o != Off {
		fault("offloads: found %q, allowed: %s, %s", o, On, Off)
	}
	for i := range s.Machines {
		m := &s.Machines[i]
		if s.machine(m.Name) != m {
			fault("machine %s: found a second one of this name, allowed: each once", m.Name)
			continue
		}
		if err := s.checkMachine(m); err != nil {
			fault("machine %q: %w", m.Name, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Spec) checkMachine(m *Machine) error {
	dpus := s.dpusOf(m.Name)
	switch {
	case !machineName.MatchString(m.Name):
		return errors.New("found this name, allowed: letters, digits, dots, dashes, underscores, " +
			"at most 40, the first a letter or digit")
	case strings.HasPrefix(m.Name, card) || m.Name == fabric:
		return fmt.Errorf("found this name, allowed: another, as %sNAME and %s are parts of "+
			"the lab", card, fabric)
	case m.Kind != Host && m.Kind != DPU:
		return fmt.Errorf("found kind %q, allowed: %s, %s", m.Kind, Host, DPU)
	case m.Kind == Host && (m.Of != "" || m.OnPath):
		return errors.New("found of or on_path on a host, allowed: on a dpu")
	case m.Kind == DPU && m.Direct:
		return errors.New("found direct on a dpu, allowed: on a host")
	case m.Kind == DPU && (s.machine(m.Of) == nil || s.machine(m.Of).Kind != Host):
		return fmt.Errorf("found of: %q, allowed: a host of the lab", m.Of)
	case m.Direct && len(dpus) > 0:
		return fmt.Errorf("found direct on a host with the DPU %s, allowed: on a host without",
			dpus[0].Name)
	case m.OnPath && len(s.dpusOf(m.Of)) > 1:
		return fmt.Errorf("found on_path on one of several DPUs of %s, allowed: on its only one",
			m.Of)
	case (m.OnPath || m.Direct) && s.hosts() < 2:
		return errors.New("found on_path or direct in a lab of one host, allowed: where there is " +
			"a wire to another")
	}
	return nil
}

func (s *Spec) machine(name string) *Machine {
	i := slices.IndexFunc(s.Machines, func(m Machine) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Machines[i]
}

func (s *Spec) dpusOf(host string) []*Machine {
	var dpus []*Machine
	for i := range s.Machines {
		if m := &s.Machines[i]; m.Kind == DPU && m.Of == host {
			dpus = append(dpus, m)
		}
	}
	return dpus
}

func (s *Spec) hosts() (n int) {
	for i := range s.Machines {
		if s.Machines[i].Kind == Host {
			n++
		}
	}
	return n
}

func (s *Spec) mtu() int { return cmp.Or(s.MTU, defaultMTU) }

func (s *Spec) offloads() string {
	switch onPath := slices.ContainsFunc(s.Machines, func(m Machine) bool { return m.OnPath }); {
	case s.Offloads != "":
		return s.Offloads
	case onPath:
		return Off
	}
	return On
}

// hostOf returns the host of a machine's side.
func (s *Spec) hostOf(m *Machine) string {
	if m.Kind == Host {
		return m.Name
	}
	return m.Of
}
