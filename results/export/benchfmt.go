package export

import (
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"dpukv/internal/foreign"
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
	for _, m := range exported() {
		if !m.Higher {
			continue
		}
		metadata := benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: m.Bench, Key: "better"},
			OrigUnit:        m.Bench, Value: "higher",
		}
		if err := out.Write(&metadata); err != nil {
			return err
		}
	}
	// Every name has the first ones, so that runs of different sweeps have names in common.
	named := results.Named("store", "placement", "submode", "get_ratio", "server_threads",
		"client_threads")
	named = append(named, results.Varying(results.Without(results.Dimensions(), named), ok)...)
	var config []benchfmt.Config
	for _, d := range results.Without(results.Dimensions(), named) {
		if text := d.Text(ok[0]); text != "" && !d.Unlisted() {
			config = append(config, benchfmt.Config{
				Key:   strings.ReplaceAll(d.Name(), "_", "-"),
				Value: []byte(value(text)), File: true,
			})
		}
	}
	for _, p := range ok {
		if err := out.Write(benchmark(p, named, config)); err != nil {
			return err
		}
	}
	return nil
}

// The limits of texts in a line. The format's readers take lines of 64 KiB.
const (
	maxWord  = 1 << 10
	maxValue = 4 << 10
	maxName  = 32 << 10
)

// value is a text as the value of a configuration line, which ends with the line.
func value(text string) string { return foreign.Clip(foreign.Line(text), maxValue) }

// word is a text within the name of a benchmark, or a unit. White space ends these, and a slash the
// part of a name. A unit has at least one character.
func word(text string) string {
	if text == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, foreign.Clip(foreign.Line(text), maxWord))
}

// key is a text as the key of a part of a name, which the first = ends.
func key(text string) string { return strings.ReplaceAll(word(text), "=", "_") }

// cut shortens the name of a benchmark with very many parts.
func cut(name string) string {
	return strings.ReplaceAll(foreign.Clip(name, maxName), " ", "_")
}

// probe is the line of a probe.
func probe(p *results.Point) *benchfmt.Result {
	first, size := utf8.DecodeRuneInString(p.Measure)
	name := word(string(unicode.ToUpper(first))+p.Measure[size:]) + "/place=" + word(p.Placement)
	if p.Submode != "" {
		name += "/submode=" + word(p.Submode)
	}
	for _, setting := range slices.Sorted(maps.Keys(p.Settings)) {
		name += "/" + key(setting) + "=" + word(p.Settings[setting])
	}
	var values []benchfmt.Value
	for _, figure := range results.FigureNames([]*results.Point{p}) {
		values = append(values, benchfmt.Value{
			Value: p.Figures[figure], Unit: strings.ReplaceAll(word(figure), "_", "-"),
		})
	}
	return &benchfmt.Result{Name: benchfmt.Name(cut(name)), Iters: 1, Values: values}
}

// exported are the metrics of the format.
func exported() []*results.Metric {
	return results.Metrics(func(m *results.Metric) bool { return m.Bench != "" })
}

func benchmark(
	p *results.Point, named []*results.Dimension, config []benchfmt.Config,
) *benchfmt.Result {
	name := "KV"
	for _, d := range named {
		if text := d.Text(p); text != "" {
			name += "/" + d.Name() + "=" + word(text)
		}
	}
	var values []benchfmt.Value
	for _, m := range exported() {
		values = append(values, benchfmt.Value{Value: m.Of(p), Unit: m.Bench})
	}
	return &benchfmt.Result{
		Config: config, Name: benchfmt.Name(cut(name)), Iters: int(p.Ops), Values: values,
	}
}
