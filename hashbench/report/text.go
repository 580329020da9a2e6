package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpukv/hashbench/result"
)

// digits3 writes x with three significant digits, without an exponent.
func digits3(x float64) string { return strconv.FormatFloat(x, 'f', decimals3(x), 64) }

// decimals3 is how many decimals give x three significant digits, up to three.
func decimals3(x float64) int {
	if x == 0 {
		return 0
	}
	return min(max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 3)
}

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
		return digits3(hz/1e6) + " MHz"
	}
	return digits3(hz/1e9) + " GHz"
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

// shown is a result in the unit of its case: the figure, and the greater distance from it to an end
// of its interval.
func shown(r *result.Result) (value, spread float64) {
	value, spread = r.Ns.Median, max(r.Ns.High-r.Ns.Median, r.Ns.Median-r.Ns.Low)
	if asBandwidth(r.Case) {
		return r.GBps(), r.GBps() * spread / r.Ns.Median
	}
	return value, spread
}

// cell writes a result for a table: "6.31 ±0.02".
func cell(r *result.Result) string {
	if r == nil {
		return "–"
	}
	value, spread := shown(r)
	return digits3(value) + " ±" + strconv.FormatFloat(spread, 'f', decimals3(value), 64)
}

// joined lists the texts that are not empty.
func joined(said ...string) string {
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ", ")
}

// count writes a number with its noun: "1 case", "7 cases".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprint(n, " ", thing, "s")
}
