package live

import (
	"io"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"dpukv/internal/foreign"
	"dpukv/results"
)

// collector turns the folder into metrics on each request.
type collector struct{ folder *folder }

// labels are the labels of a configuration: its dimensions, and whether its figures are emulated.
var labels = append(dimensionNames(), "emulated")

func dimensionNames() (names []string) {
	for _, d := range results.Dimensions() {
		names = append(names, d.Name())
	}
	return names
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("dpukv_"+name, help, labels, nil)
}

var (
	sweepPoints = describe("sweep_points",
		"Points of the sweep: requested (if known), measured, failed.", "state")
	repeats = describe("repeats",
		"Measured repeats of a configuration.", labels...)
	warnedRepeats = describe("doubtful_repeats",
		"Repeats of a configuration with warnings.", labels...)
)

// gauge is that of a metric. All latencies are of one, with a label that tells them apart.
type gauge struct {
	*prometheus.Desc
	metric *results.Metric
	label  []string
}

// gauges are those of all metrics that have one.
func gauges() (list []gauge) {
	for _, m := range results.Metrics(func(m *results.Metric) bool { return m.Bench != "" }) {
		g := gauge{metric: m}
		name, title, own := m.Short, strings.ToUpper(m.Title[:1])+m.Title[1:], labels
		if m.Percentile > 0 {
			name, title = "latency", "Latency per operation from its intended send"
			g.label, own = []string{m.Short}, append([]string{"measure"}, labels...)
		}
		g.Desc = describe(name+"_"+m.Unit.Gauge, title+
			", median of the repeats of a configuration.", own...)
		list = append(list, g)
	}
	return list
}

// metricsFormat is the text that Prometheus scrapes.
var metricsFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// write writes all metrics as text.
func (c collector) write(w io.Writer) error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(c); err != nil {
		return err
	}
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	text := expfmt.NewEncoder(w, metricsFormat)
	for _, family := range families {
		if err := text.Encode(family); err != nil {
			return err
		}
	}
	return nil
}

// Describe implements [prometheus.Collector].
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sweepPoints, repeats, warnedRepeats} {
		out <- d
	}
	for _, g := range gauges() {
		out <- g.Desc
	}
}

// Collect implements [prometheus.Collector].
func (c collector) Collect(out chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if total := c.folder.options.Total; total > 0 {
		send(sweepPoints, float64(total), "asked")
	}
	m, err := c.folder.model()
	if err != nil {
		return // there is no run folder yet
	}
	ok, failed := results.Split(m.Points)
	send(sweepPoints, float64(len(ok)), "measured")
	send(sweepPoints, float64(len(failed)), "failed")
	of := gauges()
	for _, group := range results.Group(results.Dimensions(), ok) {
		configuration(group, of, send)
	}
}

// label is a text as the value of a label. Backslashes are doubled, so that the values of two
// configurations stay two.
func label(text string) string {
	return foreign.Line(strings.ReplaceAll(text, `\`, `\\`))
}

func configuration(
	group []*results.Point, of []gauge, send func(*prometheus.Desc, float64, ...string),
) {
	var values []string
	for _, d := range results.Dimensions() {
		values = append(values, label(d.Text(group[0])))
	}
	values = append(values, strconv.FormatBool(group[0].Emulated))
	send(repeats, float64(len(group)), values...)
	warned := results.Count(group, (*results.Point).HasWarnings)
	send(warnedRepeats, float64(warned), values...)
	for _, g := range of {
		median := results.SpreadBy(group, g.metric.Of).Median
		send(g.Desc, median/g.metric.Unit.Bench.Per, append(g.label, values...)...)
	}
}
