package table

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Write writes points as a table for a terminal: one row a configuration, its repeats condensed.
// Probes have tables of their own, one for each kind and test.
// The warnings of the points, and the points that failed, are listed below the rows.
func Write(w io.Writer, points []results.Point) error {
	ok, failed := results.Split(points)
	var b bytes.Buffer
	isStore := func(p *results.Point) bool { return !p.IsProbe() }
	stores := slices.DeleteFunc(slices.Clone(ok), (*results.Point).IsProbe)
	probes := slices.DeleteFunc(slices.Clone(ok), isStore)
	if len(stores) > 0 {
		writeRows(&b, stores)
	}
	writeProbes(&b, probes)
	WriteWarnings(&b, ok)
	writeFailed(&b, failed)
	_, err := w.Write(bytes.TrimLeft(b.Bytes(), "\n"))
	return err
}

// column is one column of the table. A cell has a value and, behind it, an optional spread; each
// is aligned by itself.
type column struct {
	head  [2]string
	left  bool // aligned: names, not numbers
	cell  cell
	label label // says above the table what is the same in all rows; nil: nothing
	spare int   // how soon it is left out for width; 0: never
}

// label says in words what a cell says.
type label = func(repeats []*results.Point) string

func writeRows(b *bytes.Buffer, ok []*results.Point) {
	rows := results.Group(results.Dimensions(), ok)
	varying, same := constant(columns(rows, ok), rows)
	if len(same) > 0 {
		fmt.Fprintf(b, "All rows: %s.\n\n", strings.Join(same, ", "))
	}
	lines, left := fit(varying, rows)
	for _, line := range lines {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(b, "\n%s\nMops: million operations per second.\n%s",
		legendLine(rows, spreads(lines)), leftOut(left))
	if some(rows, lostKeys) {
		b.WriteString(hitsNote + "\n")
	}
	writeEmulated(b, ok)
}

// columns returns the fixed columns, and one for each other dimension that varies.
func columns(rows [][]*results.Point, ok []*results.Point) []column {
	always := results.Named("store", "placement", "get_ratio", "server_threads", "client_threads",
		"loop", "rate_ops")
	var list []column
	for _, d := range results.Named("store", "placement") {
		list = append(list, dimensionColumn(d))
	}
	for _, d := range results.Varying(results.Without(results.Dimensions(), always), ok) {
		list = append(list, dimensionColumn(d))
	}
	for _, d := range results.Named("get_ratio", "server_threads", "client_threads") {
		list = append(list, dimensionColumn(d))
	}
	if slices.ContainsFunc(ok, func(p *results.Point) bool { return p.OpenLoop() }) {
		rate := dimensionColumn(results.Named("rate_ops")[0])
		rate.cell = value(offered)
		list = append(list, rate)
	}
	if !sameRepeats(rows) {
		list = append(list, column{head: [2]string{"repeats"}, cell: howMany})
	}
	return append(list, metricColumns(ok)...)
}

func dimensionColumn(d *results.Dimension) column {
	return column{
		head: head(d), left: !d.Numeric(), cell: value(func(p *results.Point) string {
			return cmp.Or(d.Shown(p), "–")
		}),
		label: func(repeats []*results.Point) string { return d.Label(repeats[0]) },
	}
}

// head is a dimension's title on two lines.
func head(d *results.Dimension) [2]string {
	first, second, _ := strings.Cut(d.Title(), " ")
	return [2]string{first, second}
}

// metricColumns are the columns of metrics.
func metricColumns(ok []*results.Point) (list []column) {
	for _, m := range results.Metrics(func(m *results.Metric) bool { return m.Column != nil }) {
		if m.Column.If != nil && !slices.ContainsFunc(ok, m.Column.If) {
			continue
		}
		c := column{head: m.Column.Head, cell: metricCell(m), spare: m.Column.Spare}
		if format := m.Column.Label; format != "" {
			c.label = func(repeats []*results.Point) string {
				if value, _ := c.cell(repeats); value != "–" {
					return fmt.Sprintf(format, value)
				}
				return "" // there is none
			}
		}
		list = append(list, c)
	}
	return list
}

// metricCell has the median of a metric, and a dash where there is none. A median over a lower
// bound is one, too.
func metricCell(m *results.Metric) cell {
	of := median(m)
	return func(repeats []*results.Point) (value, spread string) {
		switch {
		case m.Column.Total != nil:
			return m.Column.Total(repeats), ""
		case m.Has != nil && !m.Has(repeats[0]):
			return "–", ""
		}
		value, spread = of(repeats)
		if m.Column.Plain {
			spread = ""
		}
		return atLeast(value, slices.ContainsFunc(repeats, m.LowerBound)), spread
	}
}

func howMany(repeats []*results.Point) (value, spread string) {
	return strconv.Itoa(len(repeats)), ""
}

// maxCell is longer than any name. Without it, one long cell would widen its whole column.
const maxCell = 100

// cell makes a cell's text from the repeats of a configuration.
type cell = func(repeats []*results.Point) (value, spread string)

// value is a cell whose value is the same in all repeats.
func value(of func(*results.Point) string) cell {
	return func(repeats []*results.Point) (string, string) {
		return foreign.Clip(of(repeats[0]), maxCell), ""
	}
}

// median is a cell with the median over the repeats and how far they are from it.
func median(m *results.Metric) cell {
	return func(repeats []*results.Point) (string, string) {
		s := results.SpreadBy(repeats, m.Of).Per(m.Unit.Cell.Per)
		text := numfmt.Digits3(s.Median)
		if len(repeats) == 1 {
			return text, ""
		}
		return text, numfmt.Around(s.Median, s.Min, s.Max)
	}
}

// offered is a point's offered rate in Mops.
func offered(p *results.Point) string {
	if p.RateOps == 0 {
		return "–" // closed loop
	}
	return mega(p.RateOps)
}

func sameRepeats(rows [][]*results.Point) bool {
	return !slices.ContainsFunc(rows, func(r []*results.Point) bool {
		return len(r) != len(rows[0])
	})
}

func some(rows [][]*results.Point, is func(*results.Point) bool) bool {
	return slices.ContainsFunc(rows, func(repeats []*results.Point) bool {
		return slices.ContainsFunc(repeats, is)
	})
}

// spreads explains what stands behind the medians of a table.
func spreads(lines []string) string {
	text := "± half their range"
	if slices.ContainsFunc(lines, ranged.MatchString) {
		text += ", or (their range) where half of it is larger"
	}
	return text
}

// ranged finds a range that stands for a spread: see [numfmt.Around].
var ranged = regexp.MustCompile(`\([\d.]+ to [\d.]+\)`)

// hitsNote explains GETs that do not find a key, although the client stored all keys.
const hitsNote = "Hits below 100 %: in mode cache, a store drops items where its index or its " +
	"memory is full."

// lostKeys reports whether a cache lost keys. A trace also asks for keys that it never stored.
func lostKeys(p *results.Point) bool {
	return p.Mode == "cache" && p.Misses > 0 && !p.Replays()
}

// legendLine explains the content of the cells.
func legendLine(rows [][]*results.Point, spreads string) string {
	said := "Latency counts from the send"
	if some(rows, func(p *results.Point) bool { return p.OpenLoop() }) {
		said = "Latency counts from the intended send"
	}
	if some(rows, func(p *results.Point) bool {
		return p.LatencyLowerBoundFrom > 0 && p.LatencyLowerBoundFrom < 100
	}) {
		said += "; ≥ marks a lower bound, for operations never sent"
	}
	switch {
	case !sameRepeats(rows):
		return "Medians over the repeats " + spreads + ". " + said + "."
	case len(rows[0]) > 1:
		return fmt.Sprintf("Medians of %d repeats %s. %s.", len(rows[0]), spreads, said)
	}
	return said + "."
}
