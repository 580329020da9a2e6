package verify

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

// timed is a probe whose figures are those of its log, counted from a send with this tag.
func timed(t *testing.T, tag string) (results.Point, []byte) {
	t.Helper()
	var log []results.Interval
	h := results.NewHistogram()
	for us := range 2000 {
		results.Record(h, int64(us+1)*1000)
	}
	l := results.LatencyOf(h)
	p := resultstest.StudyProbe("network", "CH-SH", "test=rr bytes=64", map[string]float64{
		"mean_latency_ns": l.MeanNs, "p50_latency_ns": float64(l.P50Ns),
		"p99_latency_ns": float64(l.P99Ns), "p999_latency_ns": float64(l.P999Ns),
		"transactions_per_s": 2000,
	})
	end := p.StartedAt.Add(time.Second)
	log = append(log, results.Interval{Tag: tag, Start: p.StartedAt, End: end, Histogram: h})
	if tag == results.TagIntended {
		actual := results.NewHistogram()
		results.Record(actual, 1000)
		log = append(log, results.Interval{
			Tag: results.TagActual, Start: p.StartedAt, End: end, Histogram: actual,
		})
	}
	return p, must.Get(results.EncodeHlog(log))(t)
}

// TestProbes: the figures of a folder of probes alone are held against their logs.
func TestProbes(t *testing.T) {
	for name, test := range map[string]struct {
		tag   string
		edit  func(*results.Point)
		fault string
	}{
		"closed loop": {tag: results.TagActual},
		"open loop":   {tag: results.TagIntended},
		"percentile": {
			results.TagActual, func(p *results.Point) { p.Figures["p99_latency_ns"]-- },
			"p99_latency_ns",
		},
		"mean": {
			results.TagIntended, func(p *results.Point) { p.Figures["mean_latency_ns"] *= 0.9 },
			"mean_latency_ns",
		},
		"no percentiles": {results.TagActual, func(p *results.Point) {
			p.Figures = map[string]float64{"bytes_per_s": 1e9}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, log := timed(t, test.tag)
			if test.edit != nil {
				test.edit(&p)
			}
			w := must.Get(runfolder.Create(filepath.Join(t.TempDir(), "run"), []byte("measure: network\n"), nil))(t)
			must.Do(t, errors.Join(w.Append(&p, log), w.Close()))
			report := must.Get(Folder(w.Run, Options{}))(t)
			i := slices.IndexFunc(report.Checks, func(c Check) bool { return c.Name == "latency" })
			faults := strings.Join(report.Checks[i].Faults, "\n")
			if (test.fault == "") != (faults == "") || !strings.Contains(faults, test.fault) {
				t.Errorf("got %q, want a fault of %q", faults, test.fault)
			}
			for _, c := range report.Checks {
				if c.Outcome == Wrong && c.Name != "latency" {
					t.Errorf("%s: %v", c.Name, c.Faults)
				}
			}
		})
	}
}
