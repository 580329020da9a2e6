package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// conditions are the lines below the figure. They state the common properties that the title lacks,
// the repeats, the meaning of the marks, and the number of points with warnings.
func (f *figure) conditions() []string {
	points := f.points()
	// The lines of the machines say more than their digest.
	rest := results.Without(results.Dimensions(), results.Named("machine"))
	if f.shownTitle() == f.title {
		rest = results.Without(rest, results.TitleDimensions())
	}
	var said []string
	said = append(said, results.Common(rest, points)...)
	serverCPUs := func(p *results.Point) []int { return p.ServerCPUs }
	clientCPUs := func(p *results.Point) []int { return p.ClientCPUs }
	if points[0].ServerPinning() != "" { // else the server ran already
		said = append(said, pinning("server", points, serverCPUs))
	}
	severalClients := func(p *results.Point) bool { return len(p.Clients) > 1 }
	if !slices.ContainsFunc(points, severalClients) { // each client has CPUs of its own
		said = append(said, pinning("client", points, clientCPUs))
	}
	said = append(said, f.machines...)
	said = append(said, f.repeats(), f.axisNote(), f.kneeNote(), f.clipNote(), f.quotaNote())
	said = append(said, f.notes...)
	said = append(said, warnings(points, f.failed()))
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

// failed is the number of failed points that the figure would show.
func (f *figure) failed() int {
	n := 0
	for _, c := range f.charts() {
		n += len(c.Failed)
	}
	return n
}

// lines are the lines of all charts.
func (f *figure) lines() []results.Line {
	var lines []results.Line
	for _, c := range f.charts() {
		lines = append(lines, c.Lines...)
	}
	return lines
}

// pinning names the CPUs of an end, if all points have the same ones.
func pinning(end string, points []*results.Point, cpus func(*results.Point) []int) string {
	first := cpus(points[0])
	for _, p := range points {
		if !slices.Equal(cpus(p), first) {
			return ""
		}
	}
	return end + " " + points[0].Pinning(first)
}

// repeats states the number of repeats, their length, and the meaning of a mark.
func (f *figure) repeats() string {
	fewest, most := 0, 0
	for _, l := range f.lines() {
		for _, m := range l.Marks {
			n := len(m.Repeats)
			if fewest == 0 || n < fewest {
				fewest = n
			}
			most = max(most, n)
		}
	}
	return repeatsText(fewest, most, measurementPeriod(f.points()))
}

func repeatsText(fewest, most int, period string) string {
	switch {
	case most == 1:
		return "measured once" + period
	case fewest == most:
		return fmt.Sprintf("%d repeats%s: medians, bars show the range", most, period)
	}
	return fmt.Sprintf("%d to %d repeats%s: medians, bars show the range", fewest, most, period)
}

// measurementPeriod is the length of the measurement period, to a tenth of a second, if all points
// have the same.
func measurementPeriod(points []*results.Point) string {
	seconds := func(p *results.Point) string {
		return numfmt.Plain(math.Round(float64(p.DurationNs)/1e8) / 10)
	}
	for _, p := range points {
		if seconds(p) != seconds(points[0]) {
			return ""
		}
	}
	return " for " + seconds(points[0]) + " s"
}

// axisNote explains the numbers at the marks, or names the axis if there are none.
func (f *figure) axisNote() string {
	var axes []string
	for _, l := range f.lines() {
		if a := l.Axis.Title(); len(l.Marks) > 1 && !slices.Contains(axes, a) {
			axes = append(axes, a)
		}
	}
	switch {
	case len(axes) == 0:
		return ""
	case !f.panels[0].decorated:
		return "along a line: " + strings.Join(axes, " or ")
	}
	return "numbers at marks: " + strings.Join(axes, " or ")
}

// kneeNote explains the rings.
func (f *figure) kneeNote() string {
	for _, p := range f.panels {
		for i := range p.chart.Lines {
			if _, ok := p.chart.Lines[i].Knee(p.metric); ok && p.decorated {
				return "ring: the knee, where throughput over latency is greatest " +
					"(several rings: the repeats do not tell)"
			}
		}
	}
	return ""
}

// clipNote explains the arrows.
func (f *figure) clipNote() string {
	n := 0
	for _, p := range f.panels {
		n += p.clipped()
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("arrow: beyond the axis, with the greatest value, in %s",
		numfmt.Count(n, "mark"))
}

// warnings counts the points with warnings and the failed points. The table has the details.
func warnings(points []*results.Point, failed int) string {
	var said []string
	if warned := results.Count(points, (*results.Point).HasWarnings); warned > 0 {
		said = append(said, fmt.Sprintf("%d of %d points with warnings", warned, len(points)))
	}
	if failed > 0 {
		said = append(said, numfmt.Count(failed, "point")+" failed and not drawn")
	}
	return strings.Join(said, ", ")
}
