package results_test

import (
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// parsed is the latency metric of this name.
func parsed(t *testing.T, name string) *results.Metric {
	t.Helper()
	list, err := results.ParseLatencyMetrics(name)
	if err != nil || len(list) != 1 {
		t.Fatalf("%q: %v, %v", name, list, err)
	}
	return list[0]
}

// lineOfPower is a line whose marks have these repeats of the power, at p99.
func lineOfPower(marks ...[]float64) results.Line {
	var points []results.Point
	for i, repeats := range marks {
		for j, power := range repeats {
			points = append(points, resultstest.Point(func(p *results.Point) {
				p.ClientThreads, p.Repeat = i+1, j+1
				p.ThroughputOps = 1e6 * float64(i+1)
				p.Latency = resultstest.Latency(p.ThroughputOps / power / 2)
			}))
		}
	}
	return results.Lines(points)[0]
}

func TestKnee(t *testing.T) {
	one := func(power float64) []float64 { return []float64{power} }
	for name, c := range map[string]struct {
		line  results.Line
		want  results.Knee
		found bool
	}{
		"a mark on either side": {lineOfPower(one(80), one(100), one(90)), results.Knee{1, 1, 1}, true},
		// A change of 0.5 % moved the knee between these two.
		"falls from its first mark": {lineOfPower(one(100.3), one(100), one(60)), results.Knee{}, false},
		"hardly rises from its first": {
			lineOfPower([]float64{100, 100.3}, []float64{100.2, 100.5}, one(60)), results.Knee{}, false,
		},
		"rises to its last mark": {lineOfPower(one(60), one(80), one(100)), results.Knee{}, false},
		"two marks":              {lineOfPower(one(60), one(80)), results.Knee{}, false},
		"one mark":               {lineOfPower(one(60)), results.Knee{}, false},
		"repeats that overlap": {
			lineOfPower(one(50), []float64{90, 98}, []float64{97, 103}, []float64{96, 99}, one(50)),
			results.Knee{2, 1, 3},
			true,
		},
		"overlap that does not follow": {
			lineOfPower([]float64{90, 98}, one(50), []float64{97, 103}, one(60)), results.Knee{2, 2, 2}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, found := c.line.Knee(parsed(t, "p99")); got != c.want || found != c.found {
				t.Errorf("found %+v, %v, want %+v, %v", got, found, c.want, c.found)
			}
		})
	}
}

func TestPeak(t *testing.T) {
	line := results.Lines(resultstest.LocalCurve("local", 1, 2e6, []int{1, 2, 4, 16}, 3))[0]
	if peak := line.Peak(); peak.AxisValue != "16" {
		t.Errorf("peak at %s", peak.AxisValue)
	}
}
