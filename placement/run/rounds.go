package run

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"dpukv/placement/sweep"
	"dpukv/results"
	"dpukv/results/compare"
)

// roundPlan adds rounds for the configurations whose medians are not known well enough. It decides
// from measured points alone. The rule of a round sees only the repeats before it. So a run folder
// has all that an interrupted sweep needs, and a continued sweep has the points of one in one go.
type roundPlan struct {
	sweep *sweep.Sweep
	byID  map[string]*results.Point // those that are ok
}

// add takes a measured point.
func (r *roundPlan) add(p *results.Point) {
	if p.Status == results.StatusOK {
		r.byID[p.ID] = p
	}
}

// repeated is a configuration with the repeats that the plan has of it.
type repeated struct {
	sweep.Config
	planned  int
	measured []*results.Point
}

func (c *repeated) complete() bool { return len(c.measured) == c.planned }

// repeats groups the points of a plan by configuration, in the order of the first ID. That order
// is the same in a continued sweep.
func (r *roundPlan) repeats(points []sweep.Point) []repeated {
	at := map[sweep.Config]int{}
	var list []repeated
	for i := range points {
		if points[i].IsProbe() {
			continue // it has the sweep's number of repeats
		}
		c := r.sweep.ConfigOf(&points[i])
		j, known := at[c]
		if !known {
			j, at[c] = len(list), len(list)
			list = append(list, repeated{Config: c})
		}
		list[j].planned++
		if p := r.byID[points[i].ID]; p != nil {
			list[j].measured = append(list[j].measured, p)
		}
	}
	first := func(c *repeated) string { return r.sweep.Point(&c.Config, 1).ID }
	slices.SortFunc(list, func(a, b repeated) int { return strings.Compare(first(&a), first(&b)) })
	return list
}

// next returns the round that follows from the points of the plan, which were all tried. It is the
// lowest one that any configuration needs. A configuration with a failed point has no further ones.
func (r *roundPlan) next(points []sweep.Point) []sweep.Point {
	round, again := r.sweep.MostRepeats(), []sweep.Config(nil)
	for _, c := range r.repeats(points) {
		n := c.planned + 1
		if n > round || !c.complete() || r.known(c.measured) {
			continue
		}
		if n < round {
			round, again = n, nil
		}
		again = append(again, c.Config)
	}
	return r.sweep.Round(again, round)
}

// most returns the highest number of points.
func (r *roundPlan) most(points []sweep.Point) int {
	return len(r.repeats(points)) * r.sweep.MostRepeats()
}

// precision says how well repeats know the median of a figure.
type precision struct {
	name  string
	share float64 // as compare.Estimate.Width returns it
	bound bool    // the median is only a lower bound, which no repeat makes an interval
}

func (p *precision) String() string {
	switch {
	case p.bound:
		return p.name + " a lower bound"
	case math.IsInf(p.share, 1):
		return p.name + " without an interval"
	}
	decimals := 1
	if p.share >= 0.1 {
		decimals = 0
	}
	return fmt.Sprintf("%s ±%.*f %%", p.name, decimals, 100*p.share)
}

// precisions returns those of the figures that the rule is about.
func precisions(repeats []*results.Point) []precision {
	var list []precision
	for _, m := range []*results.Metric{results.Throughput, results.NamedMetric("p99")} {
		median := compare.Median(repeats, m)
		p := precision{name: m.Short, share: median.Width()}
		p.allowFor(repeats, m, median.Hi)
		list = append(list, p)
	}
	return list
}

// allowFor allows for repeats whose latency is only a lower bound. Above the interval, such a value
// changes nothing. Within or below it, the true upper end may be higher.
func (p *precision) allowFor(repeats []*results.Point, m *results.Metric, hi *float64) {
	bounds := 0
	for _, point := range repeats {
		if !m.LowerBound(point) {
			continue
		}
		bounds++
		if hi != nil && m.OfBench(point) <= *hi {
			p.share = math.Inf(1)
		}
	}
	p.bound = 2*bounds > len(repeats)
}

// known reports whether the repeats know all medians as well as the sweep asks.
func (r *roundPlan) known(repeats []*results.Point) bool {
	return !slices.ContainsFunc(precisions(repeats), func(p precision) bool {
		return !p.bound && p.share > r.sweep.RepeatsUntil/100
	})
}

// write writes how well the medians are known. It returns the number of configurations that did not
// reach what the sweep asks.
func (r *roundPlan) write(w io.Writer, points []sweep.Point) (missed, all int, err error) {
	list := r.repeats(points)
	configs := make([]sweep.Config, len(list))
	for i := range list {
		configs[i] = list[i].Config
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n95 %% intervals of the medians, asked for ±%g %%:\n\n", r.sweep.RepeatsUntil)
	for i, label := range labels(r.sweep, configs) {
		c := &list[i]
		var found []string
		for _, p := range precisions(c.measured) {
			found = append(found, p.String())
		}
		outcome := "reached"
		if !r.known(c.measured) || !c.complete() {
			outcome = "not reached"
			missed++
		}
		fmt.Fprintf(&b, "%s: %s: %s in %d repeats", label, strings.Join(found, ", "), outcome,
			len(c.measured))
		if n := c.planned - len(c.measured); n > 0 {
			fmt.Fprintf(&b, ", %d more failed or are missing", n)
		}
		fmt.Fprintln(&b)
	}
	_, err = w.Write(b.Bytes())
	return missed, len(list), err
}
