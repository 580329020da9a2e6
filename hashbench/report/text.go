package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"dpukv/hashbench/result"
	"dpukv/internal/numfmt"
)

// layOut aligns a table: the first columns (names) to the left, the others to the right. The first
// row is the head.
func layOut(rows [][]string, names int) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < names {
				line += cell + space + "  "
			} else {
				line += space + cell + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// frequency writes a rate: "4.13 GHz", "200 MHz".
func frequency(hz float64) string {
	if hz < 1e9 {
		return numfmt.Digits3(hz/1e6) + " MHz"
	}
	return numfmt.Digits3(hz/1e9) + " GHz"
}

// cases lists the cases of results, each once, in the order of their first result.
func cases(results []result.Result) []result.Case {
	var list []result.Case
	for _, r := range results {
		if !slices.Contains(list, r.Case) {
			list = append(list, r.Case)
		}
	}
	return list
}

// functions lists the functions of results, each once.
func functions(results []result.Result) []result.Subject {
	var list []result.Subject
	for _, r := range results {
		if !slices.Contains(list, r.Subject) {
			list = append(list, r.Subject)
		}
	}
	return list
}

// find is the result of a function in a case, nil if there is none.
func find(r *result.Report, function string, c result.Case) *result.Result {
	i := slices.IndexFunc(r.Results, func(x result.Result) bool {
		return x.Function == function && x.Case == c
	})
	if i < 0 {
		return nil
	}
	return &r.Results[i]
}

// bandwidthFrom is the length from which a throughput is shown as bandwidth.
const bandwidthFrom = 4096

// asBandwidth reports whether the figures of a case are shown in GB/s.
func asBandwidth(c result.Case) bool {
	return c.Mode == result.Throughput && !c.Random() && c.MinBytes >= bandwidthFrom
}

// unit is the unit in which a case's figures are shown.
func unit(c result.Case) string {
	if asBandwidth(c) {
		return "GB/s"
	}
	return "ns"
}

// shown is a result in the unit of its case: the figure, and the ends of its interval.
func shown(r *result.Result) (value, low, high float64) {
	if asBandwidth(r.Case) {
		value = r.GBps()
		return value, value * r.Ns.Median / r.Ns.High, value * r.Ns.Median / r.Ns.Low
	}
	return r.Ns.Median, r.Ns.Low, r.Ns.High
}

// cell writes a result for a table: "6.31 ±0.02".
func cell(r *result.Result) string {
	if r == nil {
		return "–"
	}
	return around(shown(r))
}

// around writes a figure with the greater distance from it to an end of its interval, or with the
// interval, where that is farther than the figure itself.
func around(value, low, high float64) string {
	text, spread := numfmt.Digits3(value)+" ", max(high-value, value-low)
	if spread > value {
		return text + numfmt.Range(low, high)
	}
	return text + "±" + numfmt.WithDigitsOf(spread, value)
}

// joined lists the texts that are not empty.
func joined(said ...string) string {
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ", ")
}
