package answer

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// openLoop are the points at an offered rate.
func openLoop(points []*results.Point) []*results.Point {
	return slices.DeleteFunc(points, func(p *results.Point) bool { return p.RateOps == 0 })
}

// atRate are the points at this offered rate.
func atRate(points []*results.Point, rate float64) []*results.Point {
	return slices.DeleteFunc(points, func(p *results.Point) bool { return p.RateOps != rate })
}

// linesByRate are lines along the rate, whatever else raises the load. So the client's threads are
// a condition, and no line has two marks at one rate.
func linesByRate(ok []*results.Point) (lines []results.Line) {
	rate := results.Named("rate_ops")
	for _, g := range results.Group(results.Without(results.Dimensions(), rate), ok) {
		l := results.Line{Axis: rate[0]}
		for _, repeats := range results.Group(rate, g) {
			l.Marks = append(l.Marks, results.Mark{
				AxisValue: rate[0].Shown(repeats[0]), Repeats: repeats,
			})
		}
		lines = append(lines, l)
	}
	return lines
}

// at is the line's mark at a rate, or nil.
func (e *entry) at(rate float64) *results.Mark {
	i := slices.IndexFunc(e.line.Marks, func(m results.Mark) bool {
		return m.Repeats[0].RateOps == rate
	})
	if i < 0 {
		return nil
	}
	return &e.line.Marks[i]
}

// chooseRate chooses the mark at the rate, if it reached the rate and its latency is known.
func (e *entry) chooseRate(o *Options) {
	m := e.at(o.RateOps)
	if m != nil && !missed(m) && m.Of(o.Metric).Min > 0 &&
		!slices.ContainsFunc(m.Repeats, o.Metric.LowerBound) {
		e.mark = m
	}
}

// missed reports whether more than half of the repeats missed the rate.
func missed(m *results.Mark) bool {
	n := results.Count(m.Repeats, func(p *results.Point) bool {
		return p.Warnings.Has(results.RateMissed)
	})
	return 2*n > len(m.Repeats)
}

// absent says why lines are not ranked.
func (r *race) absent(o *Options) (text string) {
	var without []string
	for i := range r.entries {
		e := &r.entries[i]
		m := e.at(o.RateOps)
		switch {
		case e.mark != nil:
		case m == nil:
			without = append(without, e.label)
		case missed(m):
			text += fmt.Sprintf(" %s missed the rate: it answered %s.", e.label,
				numfmt.Rate(m.Throughput().Median))
		default:
			text += fmt.Sprintf(" %s is not ranked: its %s is not known, or only a lower bound.",
				e.label, o.Metric.Title)
		}
	}
	switch len(without) {
	case 0:
		return text
	case 1:
		return text + " " + without[0] + " has no point at the rate."
	}
	return text + " " + joined(without) + " have no point at the rate."
}

// maxRates are the rates that a refusal names of a placement.
const maxRates = 12

// CheckRate refuses a rate at which no point was measured. It names the rates that there are.
func CheckRate(points []results.Point, rate float64) error {
	ok, _ := results.Split(points)
	all := len(ok)
	at := func(p *results.Point) bool { return p.RateOps == rate }
	if ok = openLoop(ok); all == 0 || slices.ContainsFunc(ok, at) {
		return nil
	}
	dimension := results.Named("rate_ops")
	asked := numfmt.Plain(rate)
	todo := "to do: measure it, such as with dpukv sweep --set rate=" + asked
	if len(ok) == 0 {
		return fmt.Errorf("found no offered rate in %s, allowed: points of an open loop; %s",
			numfmt.Count(all, "measured point"), todo)
	}
	var found []string
	for _, placed := range results.Group(results.Named("placement"), ok) {
		var rates []string
		for _, g := range results.Group(dimension, placed) {
			rates = append(rates, dimension[0].Text(g[0]))
		}
		if more := len(rates) - maxRates; more > 0 {
			rates = append(rates[:maxRates], fmt.Sprintf("and %d more", more))
		}
		found = append(found, placed[0].Placement+" "+strings.Join(rates, ", "))
	}
	return fmt.Errorf("found no point at %s operations per second, allowed: a rate that was "+
		"measured: %s; %s", asked, strings.Join(found, "; "), todo)
}
