package probechart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Curve is what the curve of a store under one placement is made of, as far as probes of the same
// run measured it.
type Curve struct {
	Title string `json:"title"` // "MICA, CH-SH, off-path"
	// Reaches is what the curve itself reaches, in words.
	Reaches string `json:"reaches"`
	Parts   []Part `json:"parts"`
	// Points are those of the store.
	Points []*results.Point `json:"-"`
}

// Part is one part of the machine or of the path.
type Part struct {
	Name     string `json:"name"`     // "memory of hostB"
	Measured string `json:"measured"` // in words; "": nothing measured it
	Follows  string `json:"follows"`  // what follows for the curve, with the arithmetic
	Missing  string `json:"missing"`  // the line of a sweep that measures the part
	Emulated bool   `json:"emulated"`
	Warned   bool   `json:"warned"` // a point behind it has warnings
}

// curveDimensions tell the curves of a breakdown apart.
func curveDimensions() []*results.Dimension {
	return append(results.Named("store"), placeDimensions()...)
}

// Breakdown makes a curve for each store and path. Without probes it has none.
func Breakdown(points []results.Point, probes []results.Point) []Curve {
	ok, _ := results.Split(points)
	measured, _ := results.Split(probes)
	if len(measured) == 0 || len(ok) == 0 {
		return nil
	}
	said := results.Varying(curveDimensions(), ok)
	for _, d := range results.Named("store", "placement", "submode") {
		if !slices.Contains(said, d) {
			said = append(said, d)
		}
	}
	said = slices.DeleteFunc(curveDimensions(), func(d *results.Dimension) bool {
		return !slices.Contains(said, d)
	})
	var curves []Curve
	for _, group := range results.Group(curveDimensions(), ok) {
		sources := bySource(group)
		for _, source := range sources {
			b, title := newBreakdown(source, measured), results.Labels(said, source[0])
			if len(sources) > 1 {
				title += ", run " + strconv.Itoa(source[0].Source)
			}
			curves = append(curves, Curve{
				Title: title, Reaches: b.reaches(), Parts: b.parts(),
				Points: source,
			})
		}
	}
	return curves
}

// bySource splits points of a merged folder: a probe says nothing about another run's machines.
func bySource(points []*results.Point) [][]*results.Point {
	return results.GroupBy(points, func(p *results.Point) int { return p.Source })
}

// breakdown is one curve with the probes that concern it.
type breakdown struct {
	peak   *results.Mark
	least  *results.Mark // with the least median latency
	p50    *results.Metric
	probes []*results.Point
}

func newBreakdown(points, probes []*results.Point) *breakdown {
	b := &breakdown{p50: results.NamedMetric("p50")}
	lines := results.LinesOf(points)
	most, least := 0.0, 0.0
	for i := range lines {
		for j := range lines[i].Marks {
			m := &lines[i].Marks[j]
			throughput, p50 := m.Throughput().Median, m.Of(b.p50).Median
			if b.peak == nil || throughput > most {
				b.peak, most = m, throughput
			}
			if b.least == nil || p50 < least {
				b.least, least = m, p50
			}
		}
	}
	for _, p := range probes {
		if p.Source == points[0].Source {
			b.probes = append(b.probes, p)
		}
	}
	return b
}

func (b *breakdown) reaches() string {
	return fmt.Sprintf("peak %s, least median latency %s", numfmt.Rate(b.peak.Throughput().Median),
		numfmt.Nanoseconds(b.least.Of(b.p50).Median))
}

// parts are the memory of the server's node, and the parts of the path that the transport has.
func (b *breakdown) parts() []Part {
	parts := []Part{b.memory()}
	switch transport := b.peak.Repeats[0].Transport; {
	case strings.HasPrefix(transport, "tcp"):
		return append(parts, b.bandwidth("up"), b.bandwidth("down"), b.roundTrip())
	case transport == "rdma":
		return append(parts, b.verbs())
	}
	return parts
}

// select returns the probes of a kind that hold a condition.
func (b *breakdown) selected(measure, test string, has func(*results.Point) bool) []*results.Point {
	var list []*results.Point
	for _, p := range b.probes {
		if p.Measure == measure && p.Settings["test"] == test && has(p) {
			list = append(list, p)
		}
	}
	return list
}

// onPath reports whether a probe measured the path of the curve.
func (b *breakdown) onPath(p *results.Point) bool {
	of := b.peak.Repeats[0]
	return p.Placement == of.Placement && p.Submode == of.Submode && p.Filter == of.Filter
}

// part makes a part of the probes behind it.
func part(name string, of ...*results.Point) Part {
	return Part{
		Name:     name,
		Emulated: slices.ContainsFunc(of, (*results.Point).IsEmulated),
		Warned:   slices.ContainsFunc(of, (*results.Point).HasWarnings),
	}
}

// missing names the item of a sweep's key measure that measures the part beside the store.
func missing(name, item string) Part {
	return Part{Name: name, Missing: "measure: [kvs, " + item + "]"}
}

// median is the median of a figure.
func median(points []*results.Point, figure string) float64 {
	return results.SpreadBy(points, results.FigureMetric(figure).Of).Median
}

// bound says what a limit means for the peak.
func (b *breakdown) bound(how string, limit float64) string {
	share := b.peak.Throughput().Median / limit
	return fmt.Sprintf("%s: at most %s; the peak is %s %% of it", how, numfmt.Rate(limit),
		numfmt.Digits3(100*share))
}

// floor says what a latency means for the least latency of the curve.
func (b *breakdown) floor(ns float64) string {
	least := b.least.Of(b.p50).Median
	if least < ns {
		return fmt.Sprintf("the curve's least median, %s, is %s less: sizes, batches or load "+
			"differ", numfmt.Nanoseconds(least), numfmt.Nanoseconds(ns-least))
	}
	return fmt.Sprintf("of the curve's least median, %s, the rest is %s: store, batch and queues",
		numfmt.Nanoseconds(least), numfmt.Nanoseconds(least-ns))
}

func linkText(bytesPerS float64) string {
	return numfmt.LinkAxis.Unit(bytesPerS).Of(bytesPerS)
}
