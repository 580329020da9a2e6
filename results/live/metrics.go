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
	throughput = describe("throughput_ops_per_second",
		"Throughput of a configuration, median of its repeats.", labels...)
	latency = describe("latency_seconds",
		"Latency per operation from its intended send, median of the repeats.",
		append([]string{"measure"}, labels...)...)
	serverCPU = describe("server_cpu_seconds_per_operation",
		"CPU time of the server per operation, median of the repeats.", labels...)
	clientCPU = describe("client_cpu_seconds_per_operation",
		"CPU time of the client per operation, median of the repeats.", labels...)
	repeats = describe("repeats",
		"Measured repeats of a configuration.", labels...)
	warnedRepeats = describe("doubtful_repeats",
		"Repeats of a configuration with warnings.", labels...)
)

// all are the metrics above.
var all = []*prometheus.Desc{
	sweepPoints, throughput, latency, serverCPU, clientCPU, repeats, warnedRepeats,
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
	for _, d := range all {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c collector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if total := c.folder.options.Total; total > 0 {
		gauge(sweepPoints, float64(total), "asked")
	}
	m, err := c.folder.model()
	if err != nil {
		return // there is no run folder yet
	}
	ok, failed := results.Split(m.Points)
	gauge(sweepPoints, float64(len(ok)), "measured")
	gauge(sweepPoints, float64(len(failed)), "failed")
	for _, group := range results.Group(results.Dimensions(), ok) {
		configuration(group, gauge)
	}
}

// label is a text as the value of a label. Backslashes are doubled, so that the values of two
// configurations stay two.
func label(text string) string {
	return foreign.Line(strings.ReplaceAll(text, `\`, `\\`))
}

func configuration(group []*results.Point, gauge func(*prometheus.Desc, float64, ...string)) {
	var values []string
	for _, d := range results.Dimensions() {
		values = append(values, label(d.Text(group[0])))
	}
	values = append(values, strconv.FormatBool(group[0].Emulated))
	median := func(of func(*results.Point) float64) float64 {
		return results.SpreadBy(group, of).Median
	}
	server := median(func(p *results.Point) float64 { return p.ServerCPUNsPerOp })
	client := median(func(p *results.Point) float64 { return p.ClientCPUNsPerOp })
	gauge(throughput, median(func(p *results.Point) float64 { return p.ThroughputOps }), values...)
	gauge(serverCPU, server/1e9, values...)
	gauge(clientCPU, client/1e9, values...)
	gauge(repeats, float64(len(group)), values...)
	warned := results.Count(group, (*results.Point).HasWarnings)
	gauge(warnedRepeats, float64(warned), values...)
	for _, m := range results.LatencyMetrics() {
		gauge(latency, median(m.Ns)/1e9, append([]string{m.Name}, values...)...)
	}
}
