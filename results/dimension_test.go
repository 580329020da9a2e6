package results_test

import (
	"testing"

	"dpukv/load"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestDimensionUnits: a value has the unit of its field; only the shown value has the title's unit.
func TestDimensionUnits(t *testing.T) {
	p := &results.Point{
		Asked: results.Asked{
			Load: load.Load{
				Workload: load.Workload{GetRatio: 0.07, ValueBytes: 32},
				RateOps:  2_500_000,
			},
			ServerThreads: 4,
		},
	}
	for _, c := range []struct{ name, text, title, shown, label string }{
		{"get_ratio", "0.07", "GET %", "7", "7 % GET"},
		{"rate_ops", "2500000", "offered Mops", "2.5", "2.5 Mops offered"},
		{"value_bytes", "32", "value bytes", "32", "32 B values"},
		{"server_threads", "4", "server threads", "4", "4 server threads"},
	} {
		d := results.Named(c.name)[0]
		if text, title, shown, label := d.Text(p), d.Title(), d.Shown(p), d.Label(p); text != c.text ||
			title != c.title || shown != c.shown || label != c.label {
			t.Errorf("%s: got %q, %q, %q, %q; want %+v", c.name, text, title, shown, label, c)
		}
	}
}

func TestTellingLeavesOutWhatFollows(t *testing.T) {
	var points []*results.Point
	for i, store := range []string{"mica", "herd"} {
		for _, threads := range []int{1, 2} {
			p := resultstest.LocalPoint(func(p *results.Point) {
				p.Store, p.KeyBytes, p.ClientThreads = store, 8<<i, threads
			})
			points = append(points, &p)
		}
	}
	if got := labels(points); got != "MICA, 1 client thread" {
		t.Errorf("found %q", got)
	}
}

func labels(points []*results.Point) string {
	return results.Labels(results.Telling(results.Dimensions(), points), points[0])
}

// TestOptionalFieldsSayNothingAtTheirDefault: fields that older points lack add no words to their
// labels, and nothing to exports.
func TestOptionalFieldsSayNothingAtTheirDefault(t *testing.T) {
	d, p := results.Named("arrivals")[0], &results.Point{}
	if label, text := d.Label(p), d.Text(p); label != "" || text != "" {
		t.Errorf("the default is %q in labels, %q as text", label, text)
	}
	p.Arrivals = load.Poisson
	if label := d.Label(p); label != "poisson arrivals" {
		t.Errorf("poisson is %q in labels", label)
	}
}
