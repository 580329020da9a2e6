package figure

import (
	"bytes"
	"slices"
	"strconv"

	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// csv is the figure's numbers, in base units: operations a second and nanoseconds.
func (f *figure) csv() ([]byte, error) {
	rows := [][]string{f.header()}
	for _, p := range f.panels {
		for _, row := range p.rows() {
			if len(f.panels) > 1 {
				row = append([]string{p.heading, p.metric.Stem()}, row...)
			}
			for len(row) < len(rows[0]) {
				row = append(row, "") // the bound is one of another metric
			}
			rows = append(rows, row)
		}
	}
	return encodeRows(rows)
}

func encodeRows(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	if err := foreign.NewCSV(&b).WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// header names the columns.
func (f *figure) header() []string {
	var columns []string
	metric := f.panels[0].metric.Statistic
	if len(f.panels) > 1 {
		columns = []string{"panel", "metric"}
		metric = func(statistic string) string { return "latency_" + statistic + "_ns" }
	}
	columns = append(columns, "line", "axis", "axis_value", "repeats")
	for _, name := range []func(string) string{results.Throughput.Statistic, metric} {
		columns = append(columns, name("median"), name("min"), name("max"))
	}
	columns = append(columns, "knee", "may_be_knee", "peak")
	if slices.ContainsFunc(f.panels, func(p *panel) bool { return p.bound != nil }) {
		columns = append(columns, "within_bound")
	}
	return columns
}

// rows are the numbers of a panel.
func (p *panel) rows() [][]string {
	var rows [][]string
	for j := range p.chart.Lines {
		l := &p.chart.Lines[j]
		for i := range l.Marks {
			m := &l.Marks[i]
			value := l.Axis.Text(m.Repeats[0])
			row := []string{l.Label, l.Axis.Name(), value, strconv.Itoa(len(m.Repeats))}
			for _, s := range []results.Spread{m.Throughput(), m.Of(p.metric)} {
				row = append(row, numfmt.Whole(s.Median), numfmt.Whole(s.Min), numfmt.Whole(s.Max))
			}
			rows = append(rows, append(row, p.limits(l, i)...))
		}
	}
	return rows
}

// limits says of the mark with this index which limits of its line it is.
func (p *panel) limits(l *results.Line, i int) []string {
	knee, found := l.Knee(p.metric)
	list := []string{
		mark01(found && i == knee.At), mark01(found && knee.Has(i)),
		mark01(&l.Marks[i] == l.Peak()),
	}
	if p.bound != nil {
		within := l.Within(results.Bound{Metric: p.metric, Ns: p.bound.Ns})
		list = append(list, mark01(&l.Marks[i] == within.Mark))
	}
	return list
}

func mark01(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}
