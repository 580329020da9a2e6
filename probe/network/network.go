package network

import (
	"context"
	"slices"
	"time"

	"dpukv/internal/field"
	"dpukv/probe"
	"dpukv/probe/network/rr"
	"dpukv/probe/network/stream"
)

// tests are all values of the axis test.
var tests = []probe.Kind{
	{
		Name: "stream", Title: "bandwidth by iperf3",
		Axes: stream.Axes(), Figures: stream.Figures(),
		Examine: stream.Examine, Expect: stream.Expect, Threads: stream.Threads,
		Serve: stream.Serve, Measure: stream.Measure,
	},
	{
		Name: "rr", Title: "request-response",
		Axes: rr.Axes(), Figures: rr.Figures(),
		Examine: rr.Examine, Expect: rr.Expect, Threads: rr.Threads,
		Serve: rr.Serve, Measure: rr.Measure,
	},
}

const axisTest = "test"

// of returns the test of settings.
func of(s probe.Settings) *probe.Kind {
	i := slices.IndexFunc(tests, func(t probe.Kind) bool { return t.Name == s.Get(axisTest) })
	return &tests[i] // the axis's codec takes no other name
}

// Kind is the kind.
var Kind = kind()

func kind() probe.Kind {
	k := probe.Kind{
		Name: "network", Title: "network",
		Pair:    true,
		Uses:    uses,
		Examine: func(s probe.Settings, server bool) error { return of(s).Examine(s, server) },
		Expect: func(s probe.Settings, warmup, duration time.Duration) time.Duration {
			return of(s).Expect(s, warmup, duration)
		},
		Threads: func(s probe.Settings, server bool) int { return of(s).Threads(s, server) },
		Serve: func(ctx context.Context, t *probe.Task) (probe.Server, error) {
			return of(t.Settings).Serve(ctx, t)
		},
		Measure: func(ctx context.Context, t *probe.Task) (*probe.Outcome, error) {
			return of(t.Settings).Measure(ctx, t)
		},
	}
	var names []string
	help := "what is measured"
	for i := range tests {
		t := &tests[i]
		names = append(names, t.Name)
		help += "; " + t.Name + ": " + t.Title
		k.Axes = append(k.Axes, t.Axes...)
		k.Figures = append(k.Figures, t.Figures...)
	}
	k.Axes = append([]probe.Axis{{
		Name: axisTest, Help: help, Default: names,
		Codec: field.Word(names),
	}}, k.Axes...)
	for _, end := range []string{"client", "server"} {
		k.Figures = append(k.Figures, probe.Figure{Name: end + "_cpus", Title: end + " CPUs"})
	}
	return k
}

// uses reports whether the test of settings has an axis.
func uses(before probe.Settings, axis string) bool {
	return axis == axisTest || slices.ContainsFunc(of(before).Axes, func(a probe.Axis) bool {
		return a.Name == axis
	})
}
