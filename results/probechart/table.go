package probechart

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Bandwidth is the memory bandwidth of a kernel on a node.
type Bandwidth struct {
	results.Spread        // in bytes a second, by STREAM's counting
	Node           string // with its generation
	Kernel         string
	Code           string // "vector", "study"
	Threads        int    // 0: all
	Repeats        int
	Emulated       bool
}

// Bandwidths are the cells of the study's Table 4: each kernel on each node with the fewest threads
// and with the most.
func Bandwidths(points []results.Point, nodes Nodes) []Bandwidth {
	v := viewOf("memory-bandwidth")
	ok, _ := v.split(points, v.y[0].name)
	rest := []string{"test", "threads"}
	order := append(slices.DeleteFunc(settingsOf(ok), func(name string) bool {
		return slices.Contains(rest, name)
	}), rest...)
	var list []Bandwidth
	for _, node := range places(ok) {
		ends := values(node, "threads")
		for _, g := range groupBy(node, order) {
			if t := g[0].Settings["threads"]; t == ends[0] || t == ends[len(ends)-1] {
				list = append(list, bandwidth(g, nodes, ok))
			}
		}
	}
	return list
}

// bandwidth is a cell of these repeats. all are the points of the table.
func bandwidth(repeats []*results.Point, nodes Nodes, all []*results.Point) Bandwidth {
	p := repeats[0]
	name := p.Placement
	if g := nodes.ofNode(p); g != "" {
		name += " " + generationTitle(g)
	}
	d := drawer{dims: results.Varying(results.Named("machine"), all), runs: severalRuns(all)}
	if where := d.where(p); where != "" {
		name += " " + where
	}
	threads, err := strconv.Atoi(p.Settings["threads"])
	if err != nil { // all
		threads = len(p.ServerCPUs)
	}
	code := p.Settings["code"]
	for _, setting := range settingsOf(all) {
		if !slices.Contains([]string{"test", "threads", "code"}, setting) &&
			len(values(all, setting)) > 1 {
			code += ", " + settingWords(setting, p.Settings[setting])
		}
	}
	return Bandwidth{
		Spread: results.SpreadBy(repeats, results.FigureMetric("bytes_per_s").Of),
		Node:   name, Kernel: p.Settings["test"], Code: code, Threads: threads,
		Repeats:  len(repeats),
		Emulated: slices.ContainsFunc(repeats, (*results.Point).IsEmulated),
	}
}

// Table is a table of text: the first row is its head.
type Table struct {
	Title string     `json:"title"`
	Rows  [][]string `json:"rows"`
}

// BandwidthTable has a row for each code and kernel, and for each node a column with one core and
// one with all. The unit is GB/s. It is nil if nothing measured it.
func BandwidthTable(list []Bandwidth) *Table {
	if len(list) == 0 {
		return nil
	}
	var rows, columns []string
	cells := map[[2]string]string{}
	for i := range list {
		b := &list[i]
		row, column := b.row(), b.column()
		cells[[2]string{row, column}] = b.text()
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	t := &Table{
		Title: "memory bandwidth, GB/s",
		Rows:  [][]string{append([]string{"kernel", "code"}, columns...)},
	}
	for _, row := range rows {
		line := strings.Split(row, "\t")
		for _, column := range columns {
			line = append(line, cells[[2]string{row, column}])
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func (b *Bandwidth) row() string { return b.Kernel + "\t" + b.Code }

func (b *Bandwidth) column() string {
	text := b.Node + ", all threads"
	if b.Threads > 0 {
		text = b.Node + ", " + numfmt.Count(b.Threads, "thread")
	}
	if b.Emulated {
		text += " (emulated)"
	}
	return text
}

// text is the median with half the range of its repeats.
func (b *Bandwidth) text() string {
	s := b.Per(1e9)
	text := numfmt.Digits3(s.Median)
	if b.Repeats > 1 {
		text += fmt.Sprintf(" ±%.*f", numfmt.Decimals3(s.Median), s.HalfRange())
	}
	return text
}

// WriteText writes the table for a terminal.
func (t *Table) WriteText(w io.Writer) error {
	widths := make([]int, len(t.Rows[0]))
	for _, row := range t.Rows {
		for i, cell := range row {
			row[i] = foreign.Line(cell)
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	var b strings.Builder
	b.WriteString(t.Title + "\n")
	for _, row := range t.Rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i < 2 { // words
				line += cell + pad + "  "
			} else {
				line += pad + cell + "  "
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteBandwidths writes a line for each cell of the table as CSV, in bytes a second.
func WriteBandwidths(w io.Writer, list []Bandwidth) error {
	out := foreign.NewCSV(w)
	rows := [][]string{{
		"node", "kernel", "code", "threads", "repeats", "bytes_per_s_median", "bytes_per_s_min",
		"bytes_per_s_max", "emulated",
	}}
	for i := range list {
		b := &list[i]
		row := []string{b.Node, b.Kernel, b.Code, strconv.Itoa(b.Threads), strconv.Itoa(b.Repeats)}
		for _, x := range []float64{b.Median, b.Min, b.Max} {
			row = append(row, numfmt.Whole(x))
		}
		rows = append(rows, append(row, strconv.FormatBool(b.Emulated)))
	}
	return out.WriteAll(rows)
}
