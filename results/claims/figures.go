package claims

import (
	"fmt"
	"math"
	"slices"

	"dpukv/results"
)

// finding is a claim's figure for one pair of groups, or one group.
type finding struct {
	value, low, high float64
	which            string
	points           []*results.Point // that it rests on
}

// findings are the figures of all possible pairs, or the reason why there are none.
func (c *Claim) findings(k Case, runs []Run) (list []finding, why string) {
	as := choose(runs, &c.A, k.Generation, k.GetRatio)
	if len(as) == 0 {
		return nil, missing(runs, &c.A, k)
	}
	if c.Over == nil {
		for i := range as {
			if f, ok := c.single(&as[i]); ok {
				list = append(list, f)
			}
		}
		if c.Of == "hash share" {
			return list, "the points have no share of hashing"
		}
		return list, "it needs points at several loads, found one"
	}
	overs := choose(runs, c.Over, k.Generation, k.GetRatio)
	if len(overs) == 0 {
		return nil, missing(runs, c.Over, k)
	}
	for i := range as {
		for j := range overs {
			if as[i].alike == overs[j].alike {
				list = append(list, c.pairs(&as[i], &overs[j])...)
			}
		}
	}
	if c.At == "throughput" {
		return list, "the two sides have different settings, or no two throughputs within 10 % " +
			"of each other"
	}
	return list, "the two sides have different settings, or no common load"
}

// single is the figure of one group.
func (c *Claim) single(g *group) (finding, bool) {
	marks := g.line.Marks
	first, last := &marks[0], &marks[len(marks)-1]
	label := g.label + ", " + share(g)
	switch c.Of {
	case "peak":
		m := g.line.Peak()
		return of(m.Throughput(), 1e6, label, m), true
	case "latency":
		m := extreme(marks, latency)
		return of(latency(m), 1e3, label, m), true
	case "hash share":
		m := extreme(marks, hashShare)
		return of(hashShare(m), 1, label, m), hashShare(m).Median > 0
	case "spread":
		least := extreme(marks, func(m *results.Mark) results.Spread {
			return inverse(m.Throughput())
		})
		return over(g.line.Peak().Throughput(), least.Throughput(), label, g.points), len(marks) > 1
	}
	load := func(m *results.Mark) float64 { return float64(m.Repeats[0].ClientThreads) }
	f := over(last.Throughput(), first.Throughput(), label, g.points)
	rise := load(last) / load(first)
	f.value, f.low, f.high = f.value/rise, f.low/rise, f.high/rise
	return f, rise > 1
}

// pairs are the figures of two groups: one for their peaks, one at each load for their latencies.
func (c *Claim) pairs(a, b *group) (list []finding) {
	which := a.label + " over " + b.label + ", " + share(a)
	switch c.Of {
	case "peak":
		x, y := a.line.Peak(), b.line.Peak()
		list = append(list, over(x.Throughput(), y.Throughput(), which, repeats(x, y)))
	case "latency":
		list = c.latencies(&a.line, &b.line, which)
	}
	for i := range list {
		list[i].turn(c.Quantity)
	}
	return list
}

func (c *Claim) latencies(a, b *results.Line, which string) (list []finding) {
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
		list = append(list, over(latency(x), latency(y), which+", "+at(x, y), repeats(x, y)))
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

func repeats(x, y *results.Mark) []*results.Point { return slices.Concat(x.Repeats, y.Repeats) }

func share(g *group) string { return fmt.Sprintf("%g %% GET", 100*g.points[0].GetRatio) }

func of(s results.Spread, per float64, which string, m *results.Mark) finding {
	return finding{s.Median / per, s.Min / per, s.Max / per, which, m.Repeats}
}

func over(a, b results.Spread, which string, points []*results.Point) finding {
	return finding{a.Median / b.Median, a.Min / b.Max, a.Max / b.Min, which, points}
}

func latency(m *results.Mark) results.Spread {
	return spread(m, func(p *results.Point) float64 { return p.MeanNs })
}

func hashShare(m *results.Mark) results.Spread {
	return spread(m, func(p *results.Point) float64 { return p.ClientHashShare })
}

func spread(m *results.Mark, figure func(*results.Point) float64) results.Spread {
	return results.SpreadBy(m.Repeats, figure)
}

func inverse(s results.Spread) results.Spread {
	return results.Spread{Min: 1 / s.Max, Median: 1 / s.Median, Max: 1 / s.Min}
}

// extreme is the mark with the greatest figure.
func extreme(marks []results.Mark, figure func(*results.Mark) results.Spread) *results.Mark {
	best := &marks[0]
	for i := range marks {
		if figure(&marks[i]).Median > figure(best).Median {
			best = &marks[i]
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
	for i := range a.Marks {
		x := &a.Marks[i]
		apart := func(y *results.Mark) float64 {
			return math.Abs(y.Throughput().Median/x.Throughput().Median - 1)
		}
		nearest := &b.Marks[0]
		for j := range b.Marks {
			if apart(&b.Marks[j]) < apart(nearest) {
				nearest = &b.Marks[j]
			}
		}
		if apart(nearest) <= similarThroughput {
			list = append(list, [2]*results.Mark{x, nearest})
		}
	}
	return list
}

// common pairs the marks of two lines at each load of both.
func common(a, b *results.Line) (list [][2]*results.Mark) {
	if a.Axis != b.Axis {
		return nil
	}
	for i := range a.Marks {
		for j := range b.Marks {
			if a.Marks[i].AxisValue == b.Marks[j].AxisValue {
				list = append(list, [2]*results.Mark{&a.Marks[i], &b.Marks[j]})
			}
		}
	}
	return list
}
