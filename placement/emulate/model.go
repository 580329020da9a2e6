package emulate

import (
	"fmt"
	"runtime"

	"dpukv/placement/emulate/keeper"
)

// mostShapedGbps is about the rate of a veth pair on one core. A limit near or above it would cost
// time and limit nothing.
const mostShapedGbps = 20

// model says how much weaker than this machine the emulated machines are.
type model struct {
	profiles map[string]*Profile // by machine; none: as this machine is
	gbps     map[string]float64  // of the port of each host's side; 0: not said
}

func newModel(spec *Spec) (*model, error) {
	m := &model{map[string]*Profile{}, map[string]float64{}}
	for i := range spec.Machines {
		machine := &spec.Machines[i]
		if machine.Profile == "" || machine.Profile == NoProfile {
			continue
		}
		p, err := LoadProfile(machine.Profile)
		if err != nil {
			return nil, fmt.Errorf("machine %s: %w", machine.Name, err)
		}
		m.profiles[machine.Name] = p
		// A host and its DPUs share one port.
		if host := spec.hostOf(machine); p.LinkGbps > 0 &&
			(m.gbps[host] == 0 || p.LinkGbps < m.gbps[host]) {
			m.gbps[host] = p.LinkGbps
		}
	}
	return m, nil
}

// quotas returns the initial quotas: those of all cores. Every machine has one if any machine does.
func (m *model) quotas(spec *Spec) []keeper.Quota {
	var quotas []keeper.Quota
	for i := range spec.Machines {
		q := keeper.Quota{Space: spec.Machines[i].Name}
		if p := m.profiles[q.Space]; p != nil {
			q.CPUs = p.cpus(p.Cores)
		}
		quotas = append(quotas, q)
	}
	if len(m.profiles) == 0 {
		return nil
	}
	return quotas
}

// cpus returns the time of n cores, in CPUs of this machine, and at most all of those.
func (p *Profile) cpus(n int) float64 {
	return min(p.CoreStrength*float64(n), float64(runtime.NumCPU()))
}

// rate returns the rate of a host's port in bits a second, if it is enforced.
func (m *model) rate(host string) uint64 {
	if g := m.gbps[host]; g <= mostShapedGbps {
		return uint64(g * 1e9)
	}
	return 0
}

// notes returns the properties of its profile that a machine with n cores lacks.
func (p *Profile) notes(n int, gbps float64) []string {
	var notes []string
	if want := p.CoreStrength * float64(n); want > float64(runtime.NumCPU()) {
		notes = append(notes,
			fmt.Sprintf("%d cores of %s are %.2f CPUs, this machine has %d", n, p.Name, want,
				runtime.NumCPU()))
	}
	if p.LinkGbps > 0 && gbps == 0 {
		notes = append(notes,
			fmt.Sprintf("a link of %v Gb/s is not enforced: above %d Gb/s, or without a wire, "+
				"virtual interfaces are the limit", p.LinkGbps, mostShapedGbps))
	}
	return notes
}
