package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dpukv/internal/sample"
	"dpukv/results"
	"dpukv/results/compare"
)

// finding is a claim's figure for one pair of groups or times, or one group.
type finding struct {
	value, low, high float64
	which            string
	points           []*results.Point // that it rests on
	hashes           []*Hashes        // that it rests on instead
	repeats          int              // of each point or time, at least
	peak, overPeak   float64          // of the selection, and of what it is over
}

// atThePeak ends a claim's key of that takes a metric at the peaks, and not at each load.
const atThePeak = " at the peak"

// metric is the metric that the claim is about, and whether it is at the peaks. A claim about hash
// functions or probes has none.
func (c *Claim) metric() (m *results.Metric, atPeak bool) {
	switch c.Of {
	case "peak", "spread", "scaling":
		return results.Throughput, true
	case "latency":
		return results.NamedMetric("mean"), false
	}
	title, atPeak := strings.CutSuffix(c.Of, atThePeak)
	found := results.Metrics(func(m *results.Metric) bool { return m.Title == title })
	if len(found) == 0 {
		return nil, false
	}
	return found[0], atPeak
}

// ofTail reports whether the claim is about the tail of the latency.
func (c *Claim) ofTail() bool {
	m, _ := c.metric()
	return m == results.NamedMetric("p99")
}

// minLoads is the least number of loads that show how a throughput changes with the load: two are
// always on a line.
const minLoads = 3

// pool are the figures of all possible pairs in the case's generations, or the reasons why there
// are none. It returns the generations without any figure, too.
func (c *Claim) pool(k Case, ev *Evidence) (list []finding, why string, without []string) {
	var reasons []string
	for _, generation := range k.each() {
		found, reason := c.findings(k, ev, generation)
		if len(found) == 0 {
			reasons, without = append(reasons, reason), append(without, title(generation))
		}
		for i := range found {
			if len(k.Generations) > 1 {
				found[i].which += ", " + title(generation)
			}
		}
		list = append(list, found...)
	}
	return list, strings.Join(slices.Compact(reasons), "; "), without
}

// each are the case's generations, or one that stands for any.
func (k *Case) each() []string {
	if len(k.Generations) == 0 {
		return []string{""}
	}
	return k.Generations
}

// findings are the figures of all possible pairs in one generation.
func (c *Claim) findings(k Case, ev *Evidence, generation string) (list []finding, why string) {
	if c.ofHashes() {
		return c.hashFindings(ev.Hashes, generation)
	}
	if c.Of == ofProbe {
		return c.probeFindings(ev.Runs, generation)
	}
	as := choose(ev.Runs, &c.A, generation, k.GetRatio)
	if len(as) == 0 {
		return nil, missing(ev.Runs, &c.A, k, generation)
	}
	if c.Over == nil {
		for i := range as {
			found, peak := c.single(&as[i]), as[i].peak()
			for n := range found {
				found[n].peak = peak
			}
			list = append(list, found...)
		}
		if c.Of == "hash share" {
			return list, "the points have no share of hashing"
		}
		return list, fmt.Sprintf("it needs points at %d loads or more", minLoads)
	}
	overs := choose(ev.Runs, c.Over, generation, k.GetRatio)
	if len(overs) == 0 {
		return nil, missing(ev.Runs, c.Over, k, generation)
	}
	partners := c.partners(overs)
	for i := range as {
		a := &as[i]
		for _, over := range partners(a) {
			found, peak, overPeak := c.pairs(a, over), a.peak(), over.peak()
			for n := range found {
				found[n].peak, found[n].overPeak = peak, overPeak
			}
			list = append(list, found...)
		}
	}
	if c.At == "throughput" {
		return list, "the two sides have different settings, or no two throughputs within 10 % " +
			"of each other"
	}
	return list, "the two sides have different settings, or no common load"
}

// combine is the figure of a pool of at least one: the extreme or the median of their values, and
// of the ends of their ranges. Of the fastest selection it is all that selection's own.
func (c *Claim) combine(pool []finding) finding {
	if c.Pick == "fastest" {
		return slices.MaxFunc(pool, func(a, b finding) int {
			return cmp.Or(cmp.Compare(a.peak, b.peak), cmp.Compare(a.overPeak, b.overPeak))
		})
	}
	pick := func(by func(*finding) float64) *finding {
		sorted := slices.Clone(pool)
		slices.SortStableFunc(sorted, func(a, b finding) int { return cmp.Compare(by(&b), by(&a)) })
		switch c.Pick {
		case "least":
			return &sorted[len(sorted)-1]
		case "median":
			return &sorted[len(sorted)/2]
		}
		return &sorted[0]
	}
	f := *pick(func(f *finding) float64 { return f.value })
	f.low = pick(func(f *finding) float64 { return f.low }).low
	f.high = pick(func(f *finding) float64 { return f.high }).high
	if c.Expect == "at least" || c.Expect == "at most" { // of all pairs, so that it rests on all
		for i := range pool {
			f.points = append(f.points, pool[i].points...)
			f.hashes = append(f.hashes, pool[i].hashes...)
			f.repeats = min(f.repeats, pool[i].repeats)
		}
		f.points, f.hashes = distinct(f.points), distinct(f.hashes)
	}
	return f
}

// distinct keeps the first of equal pointers.
func distinct[T any](list []*T) (kept []*T) {
	seen := make(map[*T]bool, len(list))
	for _, p := range list {
		if !seen[p] {
			seen[p], kept = true, append(kept, p)
		}
	}
	return kept
}

// single are the figures of one group.
func (c *Claim) single(g *group) []finding {
	marks := g.line.Marks
	label := g.label + ", " + share(g)
	m, atPeak := c.metric()
	switch {
	case c.Of == "spread", c.Of == "scaling":
	case atPeak:
		return []finding{of(m, label, g.line.HeldOutPeak())}
	default:
		most := extreme(marks, m.Of)
		if m.Unit == results.Share && most.Of(m).Median <= 0 {
			return nil
		}
		return []finding{of(m, label, most)}
	}
	if len(marks) < minLoads {
		return nil
	}
	if c.Of == "spread" {
		least := extreme(marks, func(p *results.Point) float64 { return -p.ThroughputOps })
		f := over(m, g.line.Peak(), least, label)
		f.points = g.points
		return []finding{f}
	}
	return c.scaling(g, label)
}

// scaling are the figures of each load but the first: the rise of the throughput since the first,
// over the rise of the load.
func (c *Claim) scaling(g *group, label string) (list []finding) {
	load := func(m *results.Mark) float64 { return float64(m.Repeats[0].ClientThreads) }
	first := &g.line.Marks[0]
	for i := range g.line.Marks[1:] {
		m := &g.line.Marks[i+1]
		rise := load(m) / load(first)
		if rise <= 1 {
			return nil
		}
		f := over(results.Throughput, m, first, fmt.Sprintf("%s, %s %s over %s", label,
			g.line.Axis.Title(), m.AxisValue, first.AxisValue))
		f.value, f.low, f.high = f.value/rise, f.low/rise, f.high/rise
		f.turn(c.Quantity)
		list = append(list, f)
	}
	return list
}

// pairs are the figures of two groups: one for their peaks, one at each load for their latencies.
func (c *Claim) pairs(a, b *group) (list []finding) {
	which := a.label + " over " + b.label + ", " + share(a)
	if m, atPeak := c.metric(); atPeak {
		list = append(list, over(m, a.line.HeldOutPeak(), b.line.HeldOutPeak(), which))
	} else {
		list = c.latencies(m, &a.line, &b.line, which)
	}
	for i := range list {
		list[i].turn(c.Quantity)
	}
	return list
}

// latencies are the ratios of a latency, one for each pair of loads.
func (c *Claim) latencies(
	metric *results.Metric, a, b *results.Line, which string,
) (list []finding) {
	pairs, at := common(a, b), func(x, _ *results.Mark) string {
		return a.Axis.Title() + " " + x.AxisValue
	}
	if c.At == "throughput" {
		pairs, at = abreast(a, b), func(x, y *results.Mark) string {
			return fmt.Sprintf("at %.3g over %.3g Mops",
				x.Throughput().Median/1e6, y.Throughput().Median/1e6)
		}
	}
	for _, m := range pairs {
		x, y := m[0], m[1]
		list = append(list, over(metric, x, y, which+", "+at(x, y)))
	}
	return list
}

// turn converts a ratio into the claim's quantity.
func (f *finding) turn(quantity string) {
	switch quantity {
	case "lower":
		f.value, f.low, f.high = 1-f.value, 1-f.high, 1-f.low
	case "apart":
		crosses := f.low <= 1 && f.high >= 1
		f.value, f.low, f.high = math.Abs(f.value-1), math.Abs(f.low-1), math.Abs(f.high-1)
		f.low, f.high = min(f.low, f.high), max(f.low, f.high)
		if crosses {
			f.low = 0
		}
	}
}

// peak is the highest median throughput of a group.
func (g *group) peak() float64 { return g.line.Peak().Throughput().Median }

func share(g *group) string { return fmt.Sprintf("%g %% GET", 100*g.points[0].GetRatio) }

// of is a metric of one mark, in the unit of its cells.
func of(metric *results.Metric, which string, m *results.Mark) finding {
	f := newFinding(sample.Center(results.Values(m.Repeats, metric.Of)), which, m.Repeats)
	per := metric.Unit.Cell.Per
	f.value, f.low, f.high = f.value/per, f.low/per, f.high/per
	return f
}

// over is the ratio of a metric of two marks.
func over(metric *results.Metric, x, y *results.Mark, which string) finding {
	a, b := results.Values(x.Repeats, metric.Of), results.Values(y.Repeats, metric.Of)
	return newFinding(compare.Ratio(a, b), which, x.Repeats, y.Repeats)
}

// newFinding rests on the repeats of one or two measurements.
func newFinding(of sample.Interval, which string, repeats ...[]*results.Point) finding {
	f := finding{
		value: of.Estimate, low: of.Low, high: of.High, which: which,
		points: slices.Concat(repeats...), repeats: len(repeats[0]),
	}
	for _, list := range repeats {
		f.repeats = min(f.repeats, len(list))
	}
	return f
}

// extreme is the mark with the greatest figure.
func extreme(marks []results.Mark, figure func(*results.Point) float64) *results.Mark {
	best, most := &marks[0], results.SpreadBy(marks[0].Repeats, figure).Median
	for i := range marks {
		if median := results.SpreadBy(marks[i].Repeats, figure).Median; median > most {
			best, most = &marks[i], median
		}
	}
	return best
}

// similarThroughput is the greatest relative difference between two throughputs that count as
// alike.
const similarThroughput = 0.10

// abreast pairs each mark of a with the mark of b at the nearest throughput, if that is near
// enough.
func abreast(a, b *results.Line) (list [][2]*results.Mark) {
	type place struct {
		median float64
		index  int
	}
	places := make([]place, len(b.Marks))
	for i := range b.Marks {
		places[i] = place{b.Marks[i].Throughput().Median, i}
	}
	slices.SortFunc(places, func(p, q place) int {
		return cmp.Or(cmp.Compare(p.median, q.median), cmp.Compare(p.index, q.index))
	})
	find := func(median float64) int { // the first mark of at least this throughput
		at, _ := slices.BinarySearchFunc(places, median, func(p place, median float64) int {
			return cmp.Compare(p.median, median)
		})
		return at
	}
	for i := range a.Marks {
		x := &a.Marks[i]
		median := x.Throughput().Median
		apart := func(p place) float64 { return math.Abs(p.median/median - 1) }
		var near []place // the next below, and the next above
		above := find(median)
		if above > 0 {
			near = append(near, places[find(places[above-1].median)])
		}
		if above < len(places) {
			near = append(near, places[above])
		}
		nearest := slices.MinFunc(near, func(p, q place) int {
			return cmp.Or(cmp.Compare(apart(p), apart(q)), cmp.Compare(p.index, q.index))
		})
		if apart(nearest) <= similarThroughput {
			list = append(list, [2]*results.Mark{x, &b.Marks[nearest.index]})
		}
	}
	return list
}

// common pairs the marks of two lines at each load of both.
func common(a, b *results.Line) (list [][2]*results.Mark) {
	if a.Axis != b.Axis {
		return nil
	}
	at := map[string][]*results.Mark{}
	for j := range b.Marks {
		m := &b.Marks[j]
		at[m.AxisValue] = append(at[m.AxisValue], m)
	}
	for i := range a.Marks {
		for _, m := range at[a.Marks[i].AxisValue] {
			list = append(list, [2]*results.Mark{&a.Marks[i], m})
		}
	}
	return list
}
