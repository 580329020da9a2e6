package network

import (
	"context"
	"slices"
	"time"

	"dpukv/internal/strictyaml"
	"dpukv/probe"
	"dpukv/probe/network/rr"
	"dpukv/probe/network/stream"
)

// test is one value of the axis test.
type test struct {
	name, help string
	axes       []probe.Axis
	figures    []probe.Figure

	examine func(s probe.Settings, server bool) error
	expect  func(s probe.Settings, warmup, duration time.Duration) time.Duration
	threads func(s probe.Settings, server bool) int
	serve   func(context.Context, *probe.Task) (probe.Server, error)
	measure func(context.Context, *probe.Task) (*probe.Outcome, error)
}

// tests are all values of the axis test.
var tests = []test{
	{
		name: "stream", help: "bandwidth by iperf3",
		axes: stream.Axes(), figures: stream.Figures(),
		examine: stream.Examine, expect: stream.Expect, threads: stream.Threads,
		serve: stream.Serve, measure: stream.Measure,
	},
	{
		name: "rr", help: "request-response",
		axes: rr.Axes(), figures: rr.Figures(),
		examine: rr.Examine, expect: rr.Expect, threads: rr.Threads,
		serve: rr.Serve, measure: rr.Measure,
	},
}

const axisTest = "test"

// of returns the test of settings.
func of(s probe.Settings) *test {
	i := slices.IndexFunc(tests, func(t test) bool { return t.name == s.Get(axisTest) })
	return &tests[i] // the axis's codec takes no other name
}

// Kind is the kind.
var Kind = kind()

func kind() probe.Kind {
	k := probe.Kind{
		Name: "network", Title: "network",
		Pair:    true,
		Uses:    uses,
		Examine: func(s probe.Settings, server bool) error { return of(s).examine(s, server) },
		Expect: func(s probe.Settings, warmup, duration time.Duration) time.Duration {
			return of(s).expect(s, warmup, duration)
		},
		Threads: func(s probe.Settings, server bool) int { return of(s).threads(s, server) },
		Serve: func(ctx context.Context, t *probe.Task) (probe.Server, error) {
			return of(t.Settings).serve(ctx, t)
		},
		Measure: func(ctx context.Context, t *probe.Task) (*probe.Outcome, error) {
			return of(t.Settings).measure(ctx, t)
		},
	}
	var names []string
	help := "what is measured"
	for i := range tests {
		t := &tests[i]
		names = append(names, t.name)
		help += "; " + t.name + ": " + t.help
		k.Axes = append(k.Axes, t.axes...)
		k.Figures = append(k.Figures, t.figures...)
	}
	k.Axes = append([]probe.Axis{{
		Name: axisTest, Help: help, Default: names,
		Codec: strictyaml.Word(names),
	}}, k.Axes...)
	k.Figures = append(k.Figures, ends()...)
	return k
}

// uses reports whether the test of settings has an axis.
func uses(before probe.Settings, axis string) bool {
	return axis == axisTest || slices.ContainsFunc(of(before).axes, func(a probe.Axis) bool {
		return a.Name == axis
	})
}

// ends are the figures of both ends, in any test.
func ends() (list []probe.Figure) {
	for _, end := range []string{"client", "server"} {
		list = append(list, probe.Figure{
			Name: end + "_cpus", Title: end + " CPUs",
		})
	}
	return list
}
