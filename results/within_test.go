package results_test

import (
	"slices"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// lineOfLatencies is an open loop at rising rates. Each has one p99, in microseconds, and answers
// this many operations.
func lineOfLatencies(p99, kops []float64, edits ...func(*results.Point)) results.Line {
	var points []results.Point
	for i := range p99 {
		points = append(points, resultstest.Point(append([]func(*results.Point){func(p *results.Point) {
			p.RateOps, p.ThroughputOps = float64(i+1)*1e5, kops[i]*1e3
			p.Latency = resultstest.Latency(p99[i] * 1e3 / 2)
		}}, edits...)...))
	}
	return results.Lines(points)[0]
}

func TestWithin(t *testing.T) {
	rising := []float64{100, 200, 300, 400, 500}
	for name, c := range map[string]struct {
		p99, kops   []float64
		bound       string
		mark, later string // offered Mops
	}{
		"broken in the middle": {[]float64{100, 120, 260, 270, 195}, rising, "p99=200us", "0.2", "0.5"},
		"never broken":         {[]float64{100, 120, 130, 140, 150}, rising, "p99=200us", "0.5", ""},
		"broken at the end":    {[]float64{100, 120, 130, 140, 250}, rising, "p99 = 0.2ms", "0.4", ""},
		"broken at once":       {[]float64{300, 120, 260, 270, 295}, rising, "p99=200us", "", "0.2"},
		"broken always":        {[]float64{300, 320, 360, 370, 395}, rising, "p99=200us", "", ""},
		// Loads have the order of the rate, not that of the throughput.
		"less beyond the peak": {
			[]float64{100, 120, 130, 260, 150}, []float64{100, 200, 300, 250, 280}, "p99=200us", "0.3", "",
		},
		"most within is not the end": {
			[]float64{100, 120, 130, 140, 150}, []float64{100, 200, 300, 250, 240}, "p99=200us", "0.3", "",
		},
		"not measured": {[]float64{100, 0, 130, 140, 150}, rising, "p99=200us", "0.1", "0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			bound := must.Get(results.ParseBound(c.bound))(t)
			line := lineOfLatencies(c.p99, c.kops)
			at := func(m *results.Mark) string {
				if m == nil {
					return ""
				}
				return m.AxisValue
			}
			if w := line.Within(bound); at(w.Mark) != c.mark || at(w.Later) != c.later {
				t.Errorf("found %q and later %q, want %q and %q", at(w.Mark), at(w.Later), c.mark, c.later)
			}
		})
	}
}

// A mark names the warnings that its validity hangs on, and no others.
func TestValidity(t *testing.T) {
	want := results.ReadWarnings(
		"schedule late: 9 of 100 batches left more than 1ms late",
		"host-a: client-bound: the client's threads used 99 %",
		"target rate missed: 1 of 2",
		"disturbed: other programs used 20 %",
	)
	line := lineOfLatencies([]float64{100}, []float64{100}, func(p *results.Point) {
		p.Warnings = slices.Concat(results.ReadWarnings("too short for p99.9: 5 batches"), want[:1], want)
	})
	if got := line.Marks[0].Validity(); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestLowerBoundKeepsNoBound: the true p99 of the second load may be anything above.
func TestLowerBoundKeepsNoBound(t *testing.T) {
	bound := must.Get(results.ParseBound("p99=200us"))(t)
	line := lineOfLatencies([]float64{100, 120, 130}, []float64{100, 200, 300}, func(p *results.Point) {
		if p.RateOps == 2e5 {
			p.LatencyLowerBoundFrom = 99
		}
	})
	w := line.Within(bound)
	if w.Mark != &line.Marks[0] || w.Later != &line.Marks[2] {
		t.Errorf("found %v and later %v, want the first mark and later the third", w.Mark, w.Later)
	}
}
