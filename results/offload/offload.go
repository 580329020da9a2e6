package offload

import (
	"fmt"
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/probechart"
)

// Report is what the points of a run say about the CPU time of hosts and DPUs.
type Report struct {
	Charts []probechart.Chart
	Tables []*probechart.Table
}

// Of makes the charts and tables. Without CPU time on a DPU, there are none of placements. Without
// a neighbour, there is no table of neighbours.
func Of(points []results.Point) Report {
	ok, _ := results.Split(points)
	known := slices.DeleteFunc(slices.Clone(ok), unknown)
	var r Report
	if slices.ContainsFunc(known, onDPU) {
		lines := results.LinesOf(known)
		r.Charts = charts(points)
		configuration := configurations(lines)
		r.Tables = append(r.Tables, placements(lines, configuration), parts(lines, configuration))
	}
	if t := neighbours(results.LinesOf(ok)); t != nil {
		r.Tables = append(r.Tables, t)
	}
	return r
}

// unknown reports whether the machines of a point's CPU time are not known.
func unknown(p *results.Point) bool { return !results.HostCPU.Has(p) }

func onDPU(p *results.Point) bool { return p.DPUCPUNsPerOp() > 0 }

// placed are dimensions that follow from a placement, or are about its halves.
var placed = results.Named("placement", "machine", "engine_threads", "answers", "wait",
	"pages", "provider", "datapath")

// request names what a line was asked for, except the placement and the axis. Lines with the same
// request are comparable.
func request(l *results.Line, without ...*results.Dimension) string {
	without = slices.Concat(placed, without, []*results.Dimension{l.Axis})
	text := l.Axis.Name()
	for _, d := range results.Without(results.Dimensions(), without) {
		text += "\x00" + d.Text(first(l))
	}
	return text
}

func first(l *results.Line) *results.Point { return l.Marks[0].Repeats[0] }

// bases are the lines of whole processes on hosts, by their request. Of several, it is the first.
func bases(lines []results.Line) map[string]*results.Line {
	return firsts(lines, func(l *results.Line) (key string, has bool) {
		p := first(l)
		return request(l), !p.Split() && !onDPU(p) && p.ServerHostCPUNsPerOp > 0
	})
}

// firsts are the first lines with a key, of those that have one.
func firsts(
	lines []results.Line, of func(*results.Line) (key string, has bool),
) map[string]*results.Line {
	by := map[string]*results.Line{}
	for i := range lines {
		key, has := of(&lines[i])
		if has && by[key] == nil {
			by[key] = &lines[i]
		}
	}
	return by
}

// configurations returns a function that names what varies among lines besides the placement.
func configurations(lines []results.Line) func(*results.Line) string {
	var all []*results.Point
	for i := range lines {
		all = append(all, first(&lines[i]))
	}
	said := results.Varying(results.Without(results.Dimensions(), results.Named("placement")), all)
	return func(l *results.Line) string {
		return results.Labels(results.Without(said, []*results.Dimension{l.Axis}), first(l))
	}
}

// at names a mark by its place on the axis of its line.
func at(l *results.Line, m *results.Mark) string { return l.Axis.Title() + " " + m.AxisValue }

// placements has a row for each line, at its peak.
func placements(
	lines []results.Line, configuration func(*results.Line) string,
) *probechart.Table {
	t := &probechart.Table{
		Title: "CPU time of hosts and DPUs at the peak of each line",
		Rows: [][]string{{
			"placement", "configuration", "load", "Mops", "p50 µs", "p99 µs",
			"hosts: server ns/op", "client ns/op", "both ns/op", "of it polling",
			"of the whole's", "DPUs ns/op",
		}},
	}
	whole := bases(lines)
	for i := range lines {
		l := &lines[i]
		t.Rows = append(t.Rows, placementRow(l, configuration(l), whole[request(l)]))
	}
	return t
}

func placementRow(l *results.Line, configuration string, base *results.Line) []string {
	peak := l.Peak()
	cell := func(figure func(*results.Point) float64) string {
		return numfmt.Digits3(results.SpreadBy(peak.Repeats, figure).Median)
	}
	return []string{
		placement(peak), configuration, at(l, peak),
		numfmt.Digits3(peak.Throughput().Median / 1e6), micros("p50", peak), micros("p99", peak),
		cell(func(p *results.Point) float64 { return p.ServerHostCPUNsPerOp }),
		cell(func(p *results.Point) float64 { return p.ClientHostCPUNsPerOp }),
		cell((*results.Point).HostCPUNsPerOp), polling(peak), ofBase(peak, base),
		cell((*results.Point).DPUCPUNsPerOp),
	}
}

// polling is the CPU time of hosts that went into polling without work, where parts tell it.
func polling(m *results.Mark) string {
	spun := results.SpreadBy(m.Repeats, func(p *results.Point) (ns float64) {
		for i := range p.Parts {
			if part := &p.Parts[i]; part.Node.Kind == results.KindHost {
				ns += part.SpunNsPerOp
			}
		}
		return ns
	})
	if spun.Max == 0 {
		return "–"
	}
	return numfmt.Digits3(spun.Median)
}

// micros is a latency of a mark in µs. A median over a lower bound is one, too.
func micros(name string, m *results.Mark) string {
	metric := results.NamedMetric(name)
	text := numfmt.Digits3(m.Of(metric).Median / 1e3)
	if slices.ContainsFunc(m.Repeats, metric.LowerBound) {
		return "≥ " + text
	}
	return text
}

// placement names the placement of a mark, and whether it was emulated.
func placement(m *results.Mark) string {
	name := results.Named("placement")[0].Shown(m.Repeats[0])
	if slices.ContainsFunc(m.Repeats, (*results.Point).IsEmulated) {
		name += " (emulated)"
	}
	return name
}

// ofBase is the host CPU time of a mark over that of the peak of its base: "0.62×". A range over
// the repeats stands behind it.
func ofBase(m *results.Mark, base *results.Line) string {
	if base == nil {
		return "–"
	}
	return ratio(m.Of(results.HostCPU), base.Peak().Of(results.HostCPU))
}

// ratio is the ratio of two medians, with its range over the repeats.
func ratio(a, b results.Spread) string {
	text := numfmt.Digits3(a.Median/b.Median) + "×"
	if low, high := a.Min/b.Max, a.Max/b.Min; low < high {
		text += fmt.Sprintf(" (%s to %s)", numfmt.Digits3(low), numfmt.Digits3(high))
	}
	return text
}
