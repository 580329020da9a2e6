package results

import (
	"cmp"
	"strings"

	"dpukv/internal/numfmt"
)

// Unit is the unit of a metric's values, and how readers write them.
type Unit struct {
	Suffix string      // ends the name of a metric: "ns_per_op"
	Bench  numfmt.Unit // of comparisons and benchmarks: "sec/op"
	Gauge  string      // ends the name of a gauge, whose values are in Bench
	Cell   numfmt.Unit // of cells and of findings: "µs"
	Axis   numfmt.Scale
	// Example is a limit in words, which Parse reads.
	Example string
	Parse   func(string) (float64, error)
	Text    func(float64) string // within a sentence: "12.3 µs"
}

// The units of metrics.
var (
	OpsPerS = &Unit{
		Suffix: "ops", Bench: numfmt.Unit{Name: "ops/s", Per: 1}, Gauge: "ops_per_second",
		Cell: numfmt.Unit{Name: "Mops", Per: 1e6}, Axis: numfmt.RateAxis,
		Example: "a rate such as 500kops", Parse: numfmt.ParseRate, Text: numfmt.Rate,
	}
	Ns = &Unit{
		Suffix: "ns", Bench: numfmt.Unit{Name: "sec", Per: 1e9}, Gauge: "seconds",
		Cell: micros, Axis: numfmt.LatencyAxis,
		Example: "a time such as 300us", Parse: numfmt.ParseNs, Text: micros.Of,
	}
	NsPerOp = &Unit{
		Suffix: "ns_per_op", Bench: numfmt.Unit{Name: "sec/op", Per: 1e9},
		Gauge: "seconds_per_operation", Cell: numfmt.Unit{Name: "ns", Per: 1},
		Axis: numfmt.TimeAxis, Example: "a CPU time per operation such as 500ns",
		Parse: numfmt.ParseNs, Text: numfmt.Unit{Name: "ns per operation", Per: 1}.Of,
	}
	Share = &Unit{
		Bench: numfmt.Unit{Name: "share", Per: 1}, Cell: numfmt.Unit{Name: "share", Per: 1},
		Example: "a share such as 0.1%", Parse: numfmt.ParseShare,
		Text: func(x float64) string { return numfmt.Digits3(100*x) + " %" },
	}
	Percent = &Unit{Suffix: "percent", Cell: numfmt.Unit{Name: "%", Per: 1}}
	UJPerOp = &Unit{Suffix: "uj_per_op", Cell: numfmt.Unit{Name: "µJ", Per: 1}}

	micros = numfmt.Unit{Name: "µs", Per: 1e3}
)

// FigureMetric is a figure of probes. The unit stands at the end of its name.
func FigureMetric(name string) *Metric {
	m := &Metric{
		Name: name, Short: name, Unit: &Unit{Bench: numfmt.Unit{Per: 1}, Cell: numfmt.Unit{Per: 1}},
		Of: func(p *Point) float64 { return p.Figures[name] },
		Has: func(p *Point) bool {
			_, there := p.Figures[name]
			return there
		},
	}
	stem := name
	for _, u := range figureUnits {
		if before, has := strings.CutSuffix(name, u.Suffix); has {
			stem, m.Unit, m.Higher = before, u, u.Bench.Name != "sec"
			break
		}
	}
	m.Title = cmp.Or(strings.TrimSpace(strings.ReplaceAll(stem, "_", " ")), "bandwidth")
	return m
}

// figureUnits are those of probes' figures. Of several that fit a name, the first does. Of rates,
// more is better, and of times less.
var figureUnits = []*Unit{
	{
		Suffix: "bytes_per_s", Bench: numfmt.Unit{Name: "B/s", Per: 1},
		Cell: numfmt.Unit{Name: "GB/s", Per: 1e9},
	},
	{Suffix: "_latency_ns", Bench: Ns.Bench, Cell: Ns.Cell},
	{Suffix: "_ns", Bench: Ns.Bench, Cell: NsPerOp.Cell},
	{Suffix: "_per_s", Bench: OpsPerS.Bench, Cell: numfmt.Unit{Name: "1/s", Per: 1}},
}
