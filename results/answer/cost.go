package answer

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// cost is what an operation takes, at an offered rate.
type cost struct {
	what, unit string
	of         func(*results.Point) float64
	known      func(*results.Point) bool
}

var costs = []cost{
	{
		"CPU time of hosts per operation", "ns", (*results.Point).HostCPUNsPerOp,
		func(p *results.Point) bool { return p.HostCPUNsPerOp()+p.DPUCPUNsPerOp() > 0 },
	},
	{
		"Energy of the server's machine per operation", "µJ",
		func(p *results.Point) float64 { return p.ServerEnergyUJPerOp },
		func(p *results.Point) bool { return p.ServerEnergyUJPerOp > 0 },
	},
	{
		"Energy of the clients' machines per operation", "µJ",
		func(p *results.Point) float64 { return p.ClientEnergyUJPerOp },
		// on one machine, the server's is the same
		func(p *results.Point) bool { return p.ClientEnergyUJPerOp > 0 && len(p.Hosts) > 1 },
	},
}

// costs says what an operation takes with each ranked line, and which takes least.
func (r *race) costs() (text string) {
	for i := range costs {
		text += costs[i].say(r.entries)
	}
	return text
}

func (c *cost) say(entries []entry) string {
	var labels, parts, unknown []string
	var spreads []results.Spread
	for i := range entries {
		e := &entries[i]
		not := func(p *results.Point) bool { return !c.known(p) }
		switch {
		case e.mark == nil:
		case slices.ContainsFunc(e.mark.Repeats, not):
			unknown = append(unknown, e.label)
		default:
			s := results.SpreadBy(e.mark.Repeats, c.of)
			spreads, labels = append(spreads, s), append(labels, e.label)
			parts = append(parts, fmt.Sprintf("%s %s for %s", numfmt.Digits3(s.Median), c.unit,
				e.label))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	said := " " + c.what + ": " + strings.Join(parts, ", ")
	if unknown != nil {
		said += ", not known for " + joined(unknown)
	}
	if len(parts) > 1 {
		said += "; " + least(labels, spreads)
	}
	return said + "."
}

// least names the line that takes least. Ranges of repeats that overlap show none.
func least(labels []string, spreads []results.Spread) string {
	best := 0
	for i, s := range spreads {
		if s.Max < spreads[best].Max {
			best = i
		}
	}
	overlaps := func(i int) bool { return i != best && spreads[best].Max >= spreads[i].Min }
	for i := range spreads {
		if overlaps(i) {
			return "which takes least is not told apart"
		}
	}
	return labels[best] + " takes least"
}
