package submode

import (
	"errors"
	"fmt"

	"dpukv/placement/submode/packetfilter"
)

// checkFilter refuses what a submode cannot express.
func checkFilter(c *Config) error {
	f := &c.Filter
	switch {
	case f.None():
		return nil
	case !OnPath(c.Submode):
		return fmt.Errorf("found filter %s: there is no DPU on the path, allowed: with an on-path submode", f)
	case f.Rules() > packetfilter.MostRules:
		return fmt.Errorf("found a filter of %d rules, allowed: at most %d", f.Rules(), packetfilter.MostRules)
	}
	if _, err := f.Object(); err != nil {
		return err
	}
	var why []error
	for _, d := range candidates(c.Target, c.Submode) {
		if c.Datapath != "" && c.Datapath != d.name || c.Datapath == "" && d.onlyAsked {
			continue
		}
		err := d.refuses(f)
		if err == nil {
			return nil
		}
		why = append(why, fmt.Errorf("datapath %s: found filter %s: %w", d.name, f, err))
	}
	return errors.Join(why...)
}

// The ways in which a datapath does packet work.
const (
	noWords     = iota
	byOpenFlow  // rules in Open vSwitch
	byTCProgram // our eBPF program in traffic control
	byTestpmd   // an eBPF program that testpmd runs on each packet
)

// refuses tells why a datapath cannot do a filter's work.
func (d *datapath) refuses(f *packetfilter.Filter) error {
	switch {
	case f.None():
		return nil
	case d.filters == noWords:
		return errors.New("it has no words for that, allowed: none")
	case f.CountOpcodes && d.filters == byOpenFlow:
		return errors.New("an operation's code lies in the payload, where neither an OpenFlow rule nor flower or an eSwitch looks; allowed: drop-client, drop-key-hash")
	case f.CountOpcodes && d.filters == byTestpmd:
		return errors.New("librte_bpf gives a program no memory to count in; allowed: drop-client, drop-key-hash")
	}
	return nil
}

// filterSteps put the filter into the datapath; tcx has it in its program.
func (s *site) filterSteps() []Step {
	switch {
	case s.cfg.Filter.None():
		return nil
	case s.datapath.filters == byOpenFlow:
		return s.openFlowSteps()
	case s.datapath.filters == byTestpmd:
		return s.testpmdFilterSteps()
	}
	return nil
}

// does says how the filter is done, where that is not plain from the datapath.
func (s *site) does() string {
	if s.datapath.filters == byTestpmd && !s.cfg.Filter.None() {
		return s.datapath.is + "; its filter an eBPF program of librte_bpf, compiled (JIT)"
	}
	return s.datapath.is
}
