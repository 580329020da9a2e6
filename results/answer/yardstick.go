package answer

import (
	"fmt"

	"dpukv/internal/numfmt"
	"dpukv/internal/sample"
	"dpukv/results"
)

// yardstick is the metric by which lines are ranked, and its words.
type yardstick struct {
	*results.Metric
	what  string // " of p99 latency"
	where string // "at the peak"
	// fits is said of a line with a figure, behind "the only placement" and "no placement".
	fits string
}

// byThroughput is the yardstick of a run without a rate.
func byThroughput(where string) yardstick {
	return yardstick{Metric: results.Throughput, where: where, fits: "keeps the bound"}
}

// byLatency is the yardstick at an offered rate.
func byLatency(m *results.Metric, rate float64) yardstick {
	return yardstick{
		Metric: m, what: " of " + m.Title, where: "at " + numfmt.Rate(rate) + " offered",
		fits: "is ranked at the rate",
	}
}

// order is a figure by which the best comes first.
func (y *yardstick) order(figure float64) float64 {
	if y.Higher {
		return -figure
	}
	return figure
}

// weigh compares the better mark with another one, so that their ratio is above 1.
func (y *yardstick) weigh(better, other *results.Mark, cases int) *evidence {
	if !y.Higher {
		better, other = other, better
	}
	return weigh(y.Of, better, other, cases)
}

// measured is the median of a line's figure, with its interval and its repeats.
func (y *yardstick) measured(e *entry, where string) string {
	text := y.Unit.Text(e.figure) + y.what + where + " ("
	if c := sample.Center(results.Values(e.mark.Repeats, y.Of)); !c.Range {
		text += fmt.Sprintf("%g %% interval: %s to %s; ", 100*results.Confidence,
			y.Unit.Text(c.Low), y.Unit.Text(c.High))
	}
	return text + numfmt.Count(len(e.mark.Repeats), "repeat") + ")"
}

// lead is the figure of the best line, and by how much it is better than that of the next.
func (y *yardstick) lead(best, next *entry) string {
	text := y.Unit.Text(best.figure) + y.what + " " + y.where
	ratio := numfmt.Digits3(next.behind.ratio.Estimate)
	if !y.Higher {
		return fmt.Sprintf("%s; %s has %s times that %s", text, next.label, ratio,
			next.behind.sure())
	}
	return fmt.Sprintf("%s, %s times that of %s %s", text, ratio, next.label, next.behind.sure())
}

// overCases says by how much the next lines are behind, at least and at most.
func (y *yardstick) overCases(least, most float64) string {
	by := span([2]float64{least, most}) + " times the "
	if !y.Higher {
		return "the next has " + by + "latency"
	}
	return by + "throughput of the next"
}
