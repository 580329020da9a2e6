package export

import (
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"dpukv/results"
)

// Benchfmt writes the points that are ok as lines of benchmarks. A name has the point's place in
// the study and the dimensions that vary: "BenchmarkKV/store=MICA/placement=CH-SH/…". The
// dimensions in which all points agree stand before the lines. A probe's name has its settings:
// "BenchmarkMemory/place=hostA/test=latency/…".
func Benchfmt(w io.Writer, points []results.Point) error {
	all, _ := results.Split(points)
	out := benchfmt.NewWriter(w)
	var ok []*results.Point
	for _, p := range all {
		if !p.IsProbe() {
			ok = append(ok, p)
		} else if err := out.Write(probe(p)); err != nil {
			return err
		}
	}
	if len(ok) == 0 {
		return nil
	}
	metadata := benchfmt.UnitMetadata{
		UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "ops/s", Key: "better"},
		OrigUnit:        "ops/s", Value: "higher",
	}
	if err := out.Write(&metadata); err != nil {
		return err
	}
	// Every name has the first ones, so that runs of different sweeps have names in common.
	named := results.Named("store", "placement", "submode", "get_ratio", "server_threads",
		"client_threads")
	named = append(named, results.Varying(results.Without(results.Dimensions(), named), ok)...)
	var config []benchfmt.Config
	for _, d := range results.Without(results.Dimensions(), named) {
		if text := d.Text(ok[0]); text != "" {
			key := strings.ReplaceAll(d.Name(), "_", "-")
			config = append(config, benchfmt.Config{Key: key, Value: []byte(text), File: true})
		}
	}
	for _, p := range ok {
		if err := out.Write(benchmark(p, named, config)); err != nil {
			return err
		}
	}
	return nil
}

// probe is the line of a probe.
func probe(p *results.Point) *benchfmt.Result {
	word := strings.NewReplacer("/", "_", " ", "_").Replace
	name := strings.ToUpper(p.Measure[:1]) + p.Measure[1:] + "/place=" + word(p.Placement)
	if p.Submode != "" {
		name += "/submode=" + p.Submode
	}
	for _, setting := range slices.Sorted(maps.Keys(p.Settings)) {
		name += "/" + setting + "=" + word(p.Settings[setting])
	}
	var values []benchfmt.Value
	for _, figure := range results.FigureNames([]*results.Point{p}) {
		values = append(values, benchfmt.Value{
			Value: p.Figures[figure], Unit: strings.ReplaceAll(figure, "_", "-"),
		})
	}
	return &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: values}
}

func benchmark(
	p *results.Point, named []*results.Dimension, config []benchfmt.Config,
) *benchfmt.Result {
	name := "KV"
	for _, d := range named {
		if text := d.Text(p); text != "" {
			name += "/" + d.Name() + "=" + strings.NewReplacer("/", "_", " ", "_").Replace(text)
		}
	}
	values := []benchfmt.Value{{Value: p.ThroughputOps, Unit: "ops/s"}}
	for _, m := range results.LatencyMetrics() {
		values = append(values, benchfmt.Value{Value: m.Ns(p), Unit: m.Name + "-ns"})
	}
	values = append(values,
		benchfmt.Value{Value: p.ServerCPUNsPerOp, Unit: "server-cpu-ns/op"},
		benchfmt.Value{Value: p.ClientCPUNsPerOp, Unit: "client-cpu-ns/op"})
	return &benchfmt.Result{
		Config: config, Name: benchfmt.Name(name), Iters: int(p.Ops), Values: values,
	}
}
