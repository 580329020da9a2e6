package measure

import (
	"fmt"
	"time"

	"dpukv/hashbench/report"
)

// series is one contender in one case, or a loop's own cost.
type series struct {
	*Contender
	in    *Input
	calls int // a round
	ns    []float64
}

// calibrate finds how many calls take a round's time, and warms up on the way.
func (s *series) calibrate(round time.Duration) error {
	for s.calls = 1; ; s.calls *= 2 {
		ns, err := s.Round(s.in, s.calls)
		if err != nil {
			return err
		}
		if ns < int64(round)/8 && s.calls < 1<<30 {
			continue
		}
		s.calls = max(1, int(float64(s.calls)*float64(round)/float64(max(ns, 1))))
		return nil
	}
}

// measure makes one round.
func (s *series) measure() error {
	ns, err := s.Round(s.in, s.calls)
	s.ns = append(s.ns, float64(ns)/float64(s.calls))
	return err
}

// plan is all series of a run, and what belongs together.
type plan struct {
	all        []*series
	overheads  map[overheadKey]*series
	order      []overheadKey // of overheads
	chains     [2]*series    // of 4 and of 16 multiplications
	chainEmpty *series
}

// overheadKey is what a loop's cost depends on. Lengths that are fixed cost the same whatever they are.
type overheadKey struct {
	empty   *Contender
	mode    report.Mode
	lengths string
}

func (k overheadKey) of(c *Contender, kase report.Case) overheadKey {
	k.empty, k.mode, k.lengths = c.Empty, kase.Mode, fixedLengths
	if kase.Random() {
		k.lengths = kase.Length()
	}
	return k
}

const fixedLengths = "fixed"

func newPlan(cfg *Config) *plan {
	p := &plan{overheads: map[overheadKey]*series{}}
	for _, kase := range cfg.Cases {
		in := newInput(kase, cfg.Seed)
		for i := range cfg.Contenders {
			c := &cfg.Contenders[i]
			p.add(c, in)
			if c.Empty != nil {
				p.addOverhead(overheadKey{}.of(c, kase), in, cfg.Seed)
			}
		}
	}
	in := newInput(report.Fixed(report.Latency, 16), cfg.Seed)
	p.chains = [2]*series{p.add(&chain4, in), p.add(&chain16, in)}
	p.chainEmpty = p.add(&empty, in)
	return p
}

func (p *plan) add(c *Contender, in *Input) *series {
	s := &series{Contender: c, in: in}
	p.all = append(p.all, s)
	return s
}

// addOverhead has the loop's cost measured with lengths of its own if they are fixed.
func (p *plan) addOverhead(k overheadKey, in *Input, seed uint64) {
	if p.overheads[k] != nil {
		return
	}
	if k.lengths == fixedLengths {
		in = newInput(report.Fixed(k.mode, 16), seed)
	}
	p.overheads[k] = p.add(k.empty, in)
	p.order = append(p.order, k)
}

// results are the medians less the overhead, in the order of contenders and cases.
func (p *plan) results(cfg *Config) []report.Result {
	var list []report.Result
	for _, s := range p.all {
		if s.Function == "" {
			continue // a loop's own cost
		}
		r := report.Result{Subject: s.Subject, Case: s.in.Case, RawNs: median(s.ns), Calls: s.calls, RoundsNs: s.ns}
		r.Ns = r.RawNs
		if s.Empty != nil {
			overhead := median(p.overheads[overheadKey{}.of(s.Contender, s.in.Case)].ns)
			r.Ns, r.OverheadNs = r.RawNs.Less(overhead), overhead.Median
		}
		list = append(list, r)
	}
	return list
}

func (p *plan) loopCosts() []report.Overhead {
	var list []report.Overhead
	for _, k := range p.order {
		s := p.overheads[k]
		list = append(list, report.Overhead{Mode: string(k.mode), Lengths: k.lengths, Words: s.words, Ns: median(s.ns)})
	}
	return list
}

// overheadLeft is the time of a chain of no multiplication, after the overhead's subtraction.
func (p *plan) overheadLeft() float64 {
	four, sixteen, none := median(p.chains[0].ns).Median, median(p.chains[1].ns).Median, median(p.chainEmpty.ns).Median
	return four - (sixteen-four)/12*4 - none
}

func (s *series) describe() string { return fmt.Sprintf("%s, %s", s.Function, s.in.Case) }
