package results_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/answer"
	"dpukv/results/claims"
	"dpukv/results/compare"
	"dpukv/results/export"
	"dpukv/results/figure"
	"dpukv/results/live"
	"dpukv/results/report"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/runfolder/runfoldertest"
	"dpukv/results/table"
	"dpukv/results/threshold"
)

// TestMetrics: no row is lost, and none changes its name, its unit or its readers unseen.
func TestMetrics(t *testing.T) {
	var b bytes.Buffer
	for _, m := range results.Metrics(func(*results.Metric) bool { return true }) {
		fmt.Fprintf(&b, "%s | %s | %s | %s | higher is better: %t | compared: %t | limited: %t | %s | column: %v | "+
			"percentile %v | %s\n", m.Name, m.Shown(), m.Title, m.Unit.Cell.Name, m.Higher, m.Compared, m.Limited,
			m.Bench, m.Column != nil, m.Percentile, m.TooShort)
		if results.NamedMetric(m.Name) != m || results.NamedMetric(m.Shown()) != m {
			t.Errorf("%s: its name is that of another one", m.Name)
		}
	}
	resultstest.Golden(t, "metrics.golden", b.Bytes())
}

// TestMetricInEverySink: one row makes a metric known to whatever shows, compares or exports figures.
func TestMetricInEverySink(t *testing.T) {
	toy := &results.Metric{
		Name: "toys_ops", Short: "toys", Title: "rate of toys", Unit: results.OpsPerS, Higher: true,
		Of:       func(p *results.Point) float64 { return p.ThroughputOps / 10 },
		Compared: true, Limited: true, Bench: "toys/s", Reported: true,
		Column: &results.Column{Head: [2]string{"toys", "Mops"}},
	}
	points := resultstest.Curve(2e6, []int{1, 2, 4}, 6, func(p *results.Point) { p.RateOps = 1e6 })
	run := runfoldertest.Create(t, points)
	readers := map[string]func(t *testing.T) string{
		"terminal": func(t *testing.T) string { return wrote(t, table.Write, points) },
		"compare": func(t *testing.T) string {
			metrics := must.Get(compare.ParseMetrics("toys"))(t)
			side := compare.Side{Points: points}
			c := must.Get(compare.Compare(side, side, compare.Options{Metrics: metrics}))(t)
			return wrote(t, func(w io.Writer, c *compare.Comparison) error { return c.Write(w) }, c)
		},
		"threshold": func(t *testing.T) string {
			limit := must.Get(threshold.Parse("toys < 1Mops"))(t)
			return fmt.Sprint(threshold.Judge([]threshold.Threshold{limit}, points, threshold.Where{}))
		},
		"figure and CSV": func(t *testing.T) string {
			d := must.Get(figure.Draw(run, figure.Options{
				Metrics: []*results.Metric{results.NamedMetric("toys")}, Formats: []string{"svg", "csv"},
			}))(t)
			said := ""
			for _, path := range d.Paths {
				said += string(must.Get(os.ReadFile(path))(t))
			}
			must.Contain(t, said, "rate of toys (Mops)", "toys_median_ops")
			return said
		},
		"benchfmt":   func(t *testing.T) string { return wrote(t, export.Benchfmt, points) },
		"Prometheus": func(t *testing.T) string { return scraped(t, run) },
		"claims": func(t *testing.T) string {
			tolerance := 0.1
			claim := claims.Claim{
				Of: "rate of toys at the peak", At: "load", Quantity: "ratio", Pick: "greatest", Expect: "at least",
				Says: "toys", Tolerance: &tolerance, Cases: []claims.Case{{Study: 0.1}},
			}
			book := claims.Book{Findings: []claims.Finding{{Claims: []claims.Claim{claim}}}}
			ev := claims.Evidence{Runs: claims.NewRuns("run", points, nil)}
			return wrote(t, func(w io.Writer, o []claims.Outcome) error { return claims.Write(w, ev, o) },
				book.Evaluate(ev))
		},
		"report": func(t *testing.T) string {
			return strings.Join(must.Get(report.Read(run, report.Options{}))(t).Order, " ")
		},
		"answer": func(t *testing.T) string {
			a, _ := answer.Of(points, answer.Options{Metric: results.NamedMetric("toys"), RateOps: 1e6})
			return a.Text
		},
	}
	results.AddMetric(t, toy)
	for name, reader := range readers {
		t.Run(name, func(t *testing.T) {
			if said := reader(t); !strings.Contains(said, "toys") {
				t.Errorf("found no toys in %s", said)
			}
		})
	}
}

func wrote[T any](t *testing.T, write func(io.Writer, T) error, of T) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, write(&b, of))
	return b.String()
}

func scraped(t *testing.T, run *runfolder.Run) string {
	t.Helper()
	s := must.Get(live.Start("127.0.0.1:0", live.Options{Dir: run.Dir()}))(t)
	defer s.Close("")
	reply := must.Get(http.Get(s.URL() + "metrics"))(t)
	defer reply.Body.Close()
	return string(must.Get(io.ReadAll(reply.Body))(t))
}
