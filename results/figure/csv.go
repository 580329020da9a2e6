package figure

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"dpukv/results"
)

// csv is the figure's numbers, in base units: operations a second and nanoseconds.
func (f *figure) csv() ([]byte, error) {
	latency := "latency_" + strings.ReplaceAll(f.metric.Name, "-", "_")
	rows := [][]string{{
		"line", "axis", "axis_value", "repeats",
		"throughput_median_ops", "throughput_min_ops", "throughput_max_ops",
		latency + "_median_ns", latency + "_min_ns", latency + "_max_ns",
		"knee", "may_be_knee", "peak",
	}}
	if f.bound != nil {
		rows[0] = append(rows[0], "within_bound")
	}
	for j := range f.chart.Lines {
		l := &f.chart.Lines[j]
		for i := range l.Marks {
			m := &l.Marks[i]
			value := l.Axis.Text(m.Repeats[0])
			row := []string{l.Label, l.Axis.Name(), value, strconv.Itoa(len(m.Repeats))}
			for _, s := range []results.Spread{m.Throughput(), m.Latency(f.metric)} {
				row = append(row, wholeText(s.Median), wholeText(s.Min), wholeText(s.Max))
			}
			rows = append(rows, append(row, f.limits(l, i)...))
		}
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// limits says of the mark with this index which limits of its line it is.
func (f *figure) limits(l *results.Line, i int) []string {
	knee, found := l.Knee(f.metric)
	list := []string{
		mark01(found && i == knee.At), mark01(found && knee.Has(i)),
		mark01(&l.Marks[i] == l.Peak()),
	}
	if f.bound != nil {
		within := l.Within(results.Bound{Metric: f.metric, Ns: f.bound.Ns})
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

func wholeText(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }
