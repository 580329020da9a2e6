package answer

import (
	"cmp"
	"math"
	"slices"

	"dpukv/results"
	"dpukv/results/compare"
)

// entry is one line of a race.
type entry struct {
	line   *results.Line
	label  string
	mark   *results.Mark // nil: the line does not keep the bound, or has no latency at the rate
	figure float64       // median of mark, by the race's yardstick
	behind *evidence     // of the best over this line; nil: it is the best, or has no mark
}

// first is a point of the line.
func (e *entry) first() *results.Point { return e.line.Marks[0].Repeats[0] }

// race is a case at work: lines that differ only in what is compared.
type race struct {
	condition string
	entries   []entry  // the best one first; those without a mark last
	base      []entry  // baselines, which are no rivals
	alike     []string // labels of lines that the same stand-in forwarded
	by        yardstick
	rate      float64 // at which latency ranks the lines; 0: throughput does
	// p is the greatest of the best line against each other one, and corrected the same over all
	// races.
	p, corrected float64
	verdict      Verdict
	needed       int // rounds for a verdict, if they are too few
}

// rank chooses the marks, and sorts the lines by them.
func (r *race) rank(o *Options) {
	r.setAside()
	r.rate = o.RateOps
	r.choose(o)
	order := func(e entry) float64 {
		if e.mark == nil {
			return math.Inf(1)
		}
		return r.by.order(e.figure)
	}
	slices.SortStableFunc(r.entries, func(a, b entry) int {
		return cmp.Compare(order(a), order(b))
	})
}

// test tests the best line against each other one, one of so many races.
func (r *race) test(races int) {
	for i := range r.others() {
		e := &r.others()[i]
		if e.behind = r.by.weigh(r.entries[0].mark, e.mark, races); !e.behind.far {
			r.p = max(r.p, e.behind.p)
		}
	}
}

// others are the lines with a mark, but the best.
func (r *race) others() []entry {
	n := slices.IndexFunc(r.entries, func(e entry) bool { return e.mark == nil })
	if n < 0 {
		n = len(r.entries)
	}
	return r.entries[min(1, n):n]
}

// all are the lines, baselines too.
func (r *race) all() (list []*entry) {
	for i := range r.entries {
		list = append(list, &r.entries[i])
	}
	for i := range r.base {
		list = append(list, &r.base[i])
	}
	return list
}

// choose sets the yardstick, and the mark of each line. A peak has repeats that did not choose it.
func (r *race) choose(o *Options) {
	knees := o.Bound == nil && o.RateOps == 0
	for _, e := range r.all() {
		_, has := e.line.Knee(o.Metric)
		knees = knees && has
	}
	r.by = byThroughput("at the peak")
	for _, e := range r.all() {
		switch {
		case o.RateOps > 0:
			r.by = byLatency(o.Metric, o.RateOps)
			e.chooseRate(o)
		case o.Bound != nil:
			r.by = byThroughput("within " + o.Bound.String())
			e.mark = e.line.Within(*o.Bound).Mark
		case knees:
			k, _ := e.line.Knee(o.Metric)
			r.by = byThroughput("at the knee of the " + o.Metric.Title)
			e.mark = &e.line.Marks[k.At]
		default:
			e.mark = e.line.HeldOutPeak()
		}
		if e.mark != nil {
			e.figure = results.SpreadBy(e.mark.Repeats, r.by.Of).Median
		}
	}
}

// alpha is the level of all tests.
const alpha = 1 - results.Confidence

// judge decides all races with something to compare together, after Holm.
func judge(races []race) {
	var tested []*race
	n := 0
	for i := range races {
		n += min(1, len(races[i].others()))
	}
	for i := range races {
		races[i].test(n)
	}
	for i := range races {
		r := &races[i]
		switch {
		case len(r.others()) == 0:
		case !slices.ContainsFunc(r.others(), func(e entry) bool { return !e.behind.far }):
			r.verdict = Far
		default:
			tested = append(tested, r)
		}
	}
	ps := make([]float64, len(tested))
	for i, r := range tested {
		ps[i] = r.p
	}
	for i, p := range compare.Holm(ps) {
		tested[i].decide(p, alpha/float64(len(tested)))
	}
}

// decide is for a race with a corrected p. The least attainable p of few rounds may not stand the
// correction over many races.
func (r *race) decide(corrected, level float64) {
	r.corrected, r.verdict = corrected, Tie
	for _, e := range r.others() {
		if e.behind.far {
			continue
		}
		if needed := e.behind.needed(level); corrected > alpha && needed > e.behind.rounds() {
			r.verdict, r.needed = TooFew, max(r.needed, needed)
		}
	}
	alike := func(e entry) bool { return e.behind.ratio.Estimate < 1+MinChange }
	if corrected <= alpha && !slices.ContainsFunc(r.others(), alike) {
		r.verdict = Sure
	}
}
