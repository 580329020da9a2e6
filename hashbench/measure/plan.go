package measure

import (
	"dpukv/hashbench/result"
	"dpukv/internal/sample"
)

// plan holds all series of a run, with their relations.
type plan struct {
	timed  []*series // what was asked for
	loops  map[loopKey]*loopSeries
	order  []loopKey // of loops
	series []*series // all of it
}

// loopKey holds the inputs of a loop's cost. All fixed lengths cost the same.
type loopKey struct {
	loop    *Loop
	mode    result.Mode
	lengths string
}

const fixedLengths = "fixed"

func keyOf(c *Contender, kase result.Case) loopKey {
	lengths := fixedLengths
	if kase.Random() {
		lengths = kase.Length()
	}
	return loopKey{c.Loop, kase.Mode, lengths}
}

// loopSeries are the series behind a loop's cost: an empty function, or three chains.
type loopSeries []*series

func newPlan(cfg *Config) *plan {
	p := &plan{loops: map[loopKey]*loopSeries{}}
	for _, kase := range cfg.Cases {
		in := newInput(kase, cfg.Seed)
		for i := range cfg.Contenders {
			c := &cfg.Contenders[i]
			p.timed = append(p.timed, p.add(c, in))
			if c.Loop != nil {
				p.addLoop(keyOf(c, kase), in, cfg.Seed)
			}
		}
	}
	return p
}

func (p *plan) add(c *Contender, in *Input) *series {
	s := &series{Contender: c, in: in}
	p.series = append(p.series, s)
	return s
}

func (p *plan) addLoop(k loopKey, in *Input, seed uint64) {
	if p.loops[k] != nil {
		return
	}
	if k.lengths == fixedLengths {
		in = newInput(result.Fixed(k.mode, 16), seed)
	}
	l := &loopSeries{}
	if k.mode == result.Throughput {
		*l = append(*l, p.add(&k.loop.Empty, in))
	} else {
		for i := range k.loop.Chains {
			*l = append(*l, p.add(&k.loop.Chains[i], in))
		}
	}
	p.loops[k] = l
	p.order = append(p.order, k)
}

// cost is the loop's time for one call without a hash function, from the median over the passes.
func (l loopSeries) cost() result.Interval {
	if len(l) == 1 {
		return center(l[0].ns)
	}
	perPass := make([]float64, len(l[0].ns))
	for i := range perPass { // the line through the shortest and the longest chain, at none
		short, long := l[0].ns[i], l[2].ns[i]
		perPass[i] = short - chainLengths[0]*(long-short)/(chainLengths[2]-chainLengths[0])
	}
	return center(perPass)
}

// center is the median of values with its interval.
func center(values []float64) result.Interval {
	m := sample.Center(values)
	return result.Interval{Median: m.Estimate, Low: m.Low, High: m.High}
}

// residual is the distance of the middle chain, less the loop's cost, from its number of
// multiplications. It is 0 for a throughput loop.
func (l loopSeries) residual() float64 {
	if len(l) == 1 {
		return 0
	}
	short, middle, long := sample.Median(l[0].ns), sample.Median(l[1].ns), sample.Median(l[2].ns)
	each := (long - short) / (chainLengths[2] - chainLengths[0])
	return middle - l.cost().Median - chainLengths[1]*each
}

// results are the medians, less the loop's cost in latency, in the order of cases and contenders.
// Throughput keeps its loop: the CPU does the loop's work beside that of the hash function, so the
// two times do not add up.
func (p *plan) results() []result.Result {
	costs := map[loopKey]result.Interval{}
	for k, l := range p.loops {
		if k.mode == result.Latency {
			costs[k] = l.cost()
		}
	}
	var list []result.Result
	for _, s := range p.timed {
		r := result.Result{
			Subject: s.Subject, Case: s.in.Case, RawNs: center(s.ns), Calls: s.calls,
			RoundsNs: s.ns,
		}
		r.Ns = r.RawNs
		if cost, ok := costs[keyOf(s.Contender, s.in.Case)]; ok {
			r.Ns, r.OverheadNs = r.RawNs.Less(cost), cost.Median
		}
		list = append(list, r)
	}
	return list
}

func (p *plan) overheads() []result.Overhead {
	var list []result.Overhead
	for _, k := range p.order {
		l := p.loops[k]
		list = append(list, result.Overhead{
			Mode: string(k.mode), Lengths: k.lengths, Words: k.loop.Words,
			Ns: l.cost(), LeftNs: l.residual(),
		})
	}
	return list
}
