package results

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpukv/internal/foreign"
)

// WriteTable writes points as a table for a terminal, one row a configuration, its repeats condensed. What
// makes the points doubtful, and the points that failed, are listed below it.
func WriteTable(w io.Writer, points []Point) error {
	ok, failed := Split(points)
	var b bytes.Buffer
	if len(ok) > 0 {
		writeRows(&b, ok)
	}
	WriteWarnings(&b, ok)
	writeFailed(&b, failed)
	_, err := w.Write(bytes.TrimLeft(b.Bytes(), "\n"))
	return err
}

// column is one column of the table. A cell has a value and, behind it, an optional spread; each is
// aligned by itself.
type column struct {
	head [2]string
	left bool // aligned: names, not numbers
	cell func(repeats []*Point) (value, spread string)
}

func writeRows(b *bytes.Buffer, ok []*Point) {
	rows := Group(dimensions, ok)
	for _, line := range layOut(columns(rows, ok), rows) {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(b, "\n%s\n", legendLine(rows))
	writeEmulated(b, ok)
}

// layOut returns the table's lines: two of heads, then the rows.
func layOut(columns []column, rows [][]*Point) []string {
	lines := make([]string, 2+len(rows))
	for i, c := range columns {
		values, spreads := make([]string, len(rows)), make([]string, len(rows))
		for j, repeats := range rows {
			values[j], spreads[j] = c.cell(repeats)
		}
		cells := joinCells(values, spreads, c.left)
		width := widest(append(cells, c.head[:]...))
		for j, cell := range append(c.head[:], cells...) {
			if i > 0 {
				lines[j] += "  "
			}
			lines[j] += pad(cell, width, c.left)
		}
	}
	return lines
}

// joinCells aligns values with each other, and the spreads behind them.
func joinCells(values, spreads []string, left bool) []string {
	valueWidth, spreadWidth := widest(values), widest(spreads)
	cells := make([]string, len(values))
	for i := range values {
		cells[i] = pad(values[i], valueWidth, left)
		if spreadWidth > 0 {
			cells[i] += " " + padRight(spreads[i], spreadWidth)
		}
	}
	return cells
}

func widest(cells []string) int {
	width := 0
	for _, c := range cells {
		width = max(width, utf8.RuneCountInString(c))
	}
	return width
}

func pad(cell string, width int, left bool) string {
	if left {
		return padRight(cell, width)
	}
	return padLeft(cell, width)
}

// columns are those that always are there, and those of what else varies.
func columns(rows [][]*Point, ok []*Point) []column {
	always := Named("store", "placement", "get_ratio", "server_threads", "client_threads", "loop", "rate_ops")
	list := []column{
		{head: [2]string{"store"}, left: true, cell: value(func(p *Point) string { return p.Store })},
		{head: [2]string{"placement"}, left: true, cell: value(func(p *Point) string { return p.Placement })},
	}
	for _, d := range Varying(Without(dimensions, always), ok) {
		list = append(list, column{head: head(d), left: d.num == nil, cell: value(d.shown)})
	}
	for _, d := range Named("get_ratio", "server_threads", "client_threads") {
		list = append(list, column{head: head(d), cell: value(d.shown)})
	}
	if slices.ContainsFunc(ok, func(p *Point) bool { return p.RateOps > 0 }) {
		list = append(list, column{head: head(Named("rate_ops")[0]), cell: value(offered)})
	}
	if !sameRepeats(rows) {
		list = append(list, column{head: [2]string{"repeats"}, cell: func(repeats []*Point) (string, string) {
			return strconv.Itoa(len(repeats)), ""
		}})
	}
	return append(list, figureColumns()...)
}

// head is a dimension's title on two lines.
func head(d *Dimension) [2]string {
	first, second, _ := strings.Cut(d.title, " ")
	return [2]string{first, second}
}

func figureColumns() []column {
	latency := func(name string, of func(Latency) float64) column {
		return column{head: [2]string{name, "µs"}, cell: median(1e3, func(p *Point) float64 { return of(p.Latency) })}
	}
	return []column{
		{head: [2]string{"throughput", "Mops"}, cell: median(1e6, func(p *Point) float64 { return p.ThroughputOps })},
		latency("p50", func(l Latency) float64 { return float64(l.P50Ns) }),
		latency("p95", func(l Latency) float64 { return float64(l.P95Ns) }),
		latency("p99", func(l Latency) float64 { return float64(l.P99Ns) }),
		latency("p99.9", func(l Latency) float64 { return float64(l.P999Ns) }),
		{head: [2]string{"server", "CPU ns/op"}, cell: middle(func(p *Point) float64 { return p.ServerCPUNsPerOp })},
		{head: [2]string{"client", "CPU ns/op"}, cell: middle(func(p *Point) float64 { return p.ClientCPUNsPerOp })},
		{head: [2]string{"hits", "%"}, cell: func(repeats []*Point) (string, string) {
			return ratio(sum(repeats, func(p *Point) uint64 { return p.Hits }), sum(repeats, func(p *Point) uint64 { return p.Gets })), ""
		}},
		{head: [2]string{"errors"}, cell: func(repeats []*Point) (string, string) {
			return fmt.Sprint(sum(repeats, func(p *Point) uint64 { return p.Errors + p.Timeouts })), ""
		}},
	}
}

// maxCell is longer than any name: a column is as wide as its widest cell.
const maxCell = 100

// value is a cell in which repeats don't differ.
func value(of func(*Point) string) func([]*Point) (string, string) {
	return func(repeats []*Point) (string, string) { return foreign.Clip(of(repeats[0]), maxCell), "" }
}

// median is a cell with the median over repeats and half their range, in units of per.
func median(per float64, of func(*Point) float64) func([]*Point) (string, string) {
	return func(repeats []*Point) (string, string) {
		s := SpreadBy(repeats, of).in(unit{per: per})
		if len(repeats) == 1 {
			return digits3(s.Median), ""
		}
		return digits3(s.Median), "±" + strconv.FormatFloat(s.HalfRange(), 'f', decimals3(s.Median), 64)
	}
}

// middle is a cell with the median alone.
func middle(of func(*Point) float64) func([]*Point) (string, string) {
	return func(repeats []*Point) (string, string) { return digits3(SpreadBy(repeats, of).Median), "" }
}

func sum(repeats []*Point, of func(*Point) uint64) (n uint64) {
	for _, p := range repeats {
		n += of(p)
	}
	return n
}

func offered(p *Point) string {
	if p.RateOps == 0 {
		return "–" // closed loop
	}
	return mega(p.RateOps)
}

func sameRepeats(rows [][]*Point) bool {
	return !slices.ContainsFunc(rows, func(r []*Point) bool { return len(r) != len(rows[0]) })
}

// legendLine says what the table's figures are.
func legendLine(rows [][]*Point) string {
	said := "Latency counts from the intended send"
	switch {
	case !sameRepeats(rows):
		return "Medians over the repeats ± half their range. " + said + "."
	case len(rows[0]) > 1:
		return fmt.Sprintf("Medians of %d repeats ± half their range. %s.", len(rows[0]), said)
	}
	return said + "."
}
