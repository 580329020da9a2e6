package answer

import (
	"strings"

	"dpukv/results"
)

// costs are what an operation takes at an offered rate, in words.
var costs = []struct{ what, metric string }{
	{"CPU time of hosts per operation", "host_cpu"},
	{"Energy of the server's machine per operation", "server_energy"},
	{"Energy of the clients' machines per operation", "client_energy"},
}

// costs says what an operation takes with each ranked line, and which takes least.
func (r *race) costs() (text string) {
	for _, c := range costs {
		text += sayCost(c.what, results.NamedMetric(c.metric), r.entries)
	}
	return text
}

func sayCost(what string, m *results.Metric, entries []entry) string {
	var labels, parts, unknown []string
	var spreads []results.Spread
	for i := range entries {
		e := &entries[i]
		switch {
		case e.mark == nil:
		case !e.mark.Tells(m):
			unknown = append(unknown, e.label)
		default:
			s := e.mark.Of(m)
			spreads, labels = append(spreads, s), append(labels, e.label)
			parts = append(parts, m.Unit.Cell.Of(s.Median)+" for "+e.label)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	said := " " + what + ": " + strings.Join(parts, ", ")
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
