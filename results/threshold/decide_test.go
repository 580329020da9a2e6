package threshold

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// repeats are points of one configuration with these p99 latencies, in µs. Edits change each.
func repeats(p99s []float64, edits ...func(*results.Point)) (list []*results.Point) {
	for i, us := range p99s {
		p := resultstest.Point(append([]func(*results.Point){func(p *results.Point) {
			p.Repeat, p.P99Ns = i+1, int64(us*1e3)
		}}, edits...)...)
		list = append(list, &p)
	}
	return list
}

func warned(text string) func(*results.Point) {
	return func(p *results.Point) { p.Warnings = results.ReadWarnings(text) }
}

var (
	quiet = func(*results.Point) {}
	noisy = warned("disturbed: other programs used 30 % of the time of the server's CPUs")
	short = func(p *results.Point) { p.LatencyInterval = results.LatencyInterval{Sections: 5, P99LoNs: 1} }
	brief = warned("too short for p99: 3 batches were answered")
	bound = func(p *results.Point) { p.LatencyLowerBoundFrom = 95 }
)

// TestDecide has a row for each way to a verdict.
func TestDecide(t *testing.T) {
	for _, row := range []struct {
		name, threshold string
		p99s            []float64
		edit            func(*results.Point)
		verdict         Verdict
		why             string
	}{
		{"one repeat, below", "p99 > 300us", []float64{200}, quiet, Kept, ""},
		{"one repeat, above", "p99 > 300us", []float64{400}, quiet, Broken, ""},
		{"at the limit", "p99 > 300us", []float64{300}, quiet, Kept, ""},
		{"at the limit, which is beyond", "p99 >= 300us", []float64{300}, quiet, Broken, ""},
		{"all of few agree", "p99 > 300us", []float64{400, 410, 420}, quiet, Broken, ""},
		{"few disagree", "p99 > 300us", []float64{200, 400, 420}, quiet, Undecided, "2 of 3 repeats break it"},
		{"most of many", "p99 > 300us", []float64{1, 2, 3, 4, 5, 6, 7, 8, 900}, quiet, Kept, ""},
		{"too few of many", "p99 > 300us", []float64{1, 2, 3, 4, 5, 6, 7, 900}, quiet, Undecided, "at least 9"},
		{"disturbed", "p99 > 300us", []float64{200}, noisy, Undecided, "the point is disturbed"},
		{"disturbed and above", "p99 > 300us", []float64{400, 400}, noisy, Undecided, "of 2 of 2 repeats, the point"},
		{"no upper end, below", "p99 > 300us", []float64{200}, short, Undecided, "its interval has no upper end"},
		{"no upper end, above", "p99 > 300us", []float64{400}, short, Broken, ""},
		{"no upper end of another percentile", "p50 > 300us", []float64{200}, func(p *results.Point) {
			p.LatencyInterval = results.LatencyInterval{Sections: 5, P50HiNs: 9, P99LoNs: 1}
		}, Kept, ""},
		{"too short a period, below", "p99 > 300us", []float64{200}, brief, Undecided, "the period is too short"},
		{"too short a period, above", "p99 > 300us", []float64{400}, brief, Broken, ""},
		{"too short a period for a higher percentile", "p95 > 300us", []float64{200}, brief, Kept, ""},
		{"too short a period for a lower percentile", "p99.9 > 1s", []float64{200}, brief, Undecided, "too short"},
		{"a lower bound, below", "p99 > 300us", []float64{200}, bound, Undecided, "it is only a lower bound"},
		{"a lower bound, above", "p99 > 300us", []float64{400}, bound, Broken, ""},
		{"a least latency, by a lower bound", "p99 < 300us", []float64{200}, bound, Undecided, "lower bound"},
		{"throughput, below", "throughput < 2Mops", []float64{1}, quiet, Broken, ""},
		{"throughput, above", "throughput < 1Mops", []float64{1}, quiet, Kept, ""},
		{"no host is known", "host_cpu > 1ns", []float64{1}, quiet, Undecided, "the figure was not measured"},
		{"free hosts", "host_cpu > 1ns", []float64{1}, func(p *results.Point) {
			p.Parts = []results.Part{{Node: results.Node{Node: "dpu", Kind: results.KindDPU}}}
			p.ServerDPUCPUNsPerOp = 500
		}, Kept, ""},
		{"misses", "misses > 0.01%", []float64{1}, quiet, Broken, ""},
		{"no errors", "errors > 0", []float64{1}, quiet, Kept, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			v, why := parsed(t, row.threshold).decide(repeats(row.p99s, row.edit))
			if v != row.verdict || !strings.Contains(why, row.why) || (v == Undecided) != (why != "") {
				t.Errorf("found %s, %q, want %s, %q", v, why, row.verdict, row.why)
			}
		})
	}
}

func TestSayBound(t *testing.T) {
	b := must.Get(results.ParseBound("p99=300us"))(t)
	for want, p := range map[string]*results.Point{
		"p99 latency ≤ 300 µs: kept: 200 µs":   repeats([]float64{200})[0],
		"p99 latency ≤ 300 µs: broken: 412 µs": repeats([]float64{412})[0],
		"p99 latency ≤ 300 µs: not shown to keep it: the estimate, 200 µs, keeps it, but its interval has no upper " +
			"end: measure longer": repeats([]float64{200}, short)[0],
		"p99 latency ≤ 300 µs: broken: at least 412 µs": repeats([]float64{412}, bound)[0],
		"p99 latency ≤ 300 µs: not shown to keep it: the estimate, 412 µs, breaks it, but the point is disturbed: " +
			"measure on a quiet machine (dpukv doctor)": repeats([]float64{412}, noisy)[0],
		"p99 latency ≤ 300 µs: not shown to keep it: the figure was not measured": repeats([]float64{0})[0],
		"p99 latency ≤ 300 µs: not shown to keep it: the point failed": repeats([]float64{200},
			resultstest.Failed("no answer"))[0],
	} {
		if got := SayBound(b, p); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}
