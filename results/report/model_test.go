package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/chromium"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/answer"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
	"dpukv/results/runfolder/runfoldertest"
)

// study is a run like the study's figure: placements, GET shares, a store over emulated hardware,
// warnings and a failure.
func study(tb testing.TB) *runfolder.Run {
	tb.Helper()
	threads := []int{1, 2, 4, 8, 12}
	var points []results.Point
	for _, share := range []float64{1, 0.95, 0.5} {
		for i, placement := range []string{"CH-SH", "CD-SH", "CH-SD", "L-CD-SH"} {
			points = append(points,
				resultstest.Curve((4.5e6-8e5*float64(i))*(0.7+0.3*share), threads, 3, func(p *results.Point) {
					p.GetRatio, p.Placement = share, placement
					p.Actual = p.Latency
					p.Stages = results.StagesOf(p, 0.1*p.MeanNs, 0.3*p.MeanNs)
					if p.ClientThreads == 12 && i == 0 {
						p.ClientBusyShare, p.ClientCPUShare = 0.97, 0.97
						p.Warnings = results.ReadWarnings(
							"client-bound: the client's threads were busy for 97 % of the time of " +
								"their CPUs")
					}
					if share == 0.5 && i == 2 && p.ClientThreads == 12 {
						p.Status, p.Error = results.StatusFailed, "the server did not answer within 5s"
					}
				})...)
		}
		points = append(points, resultstest.Curve(9e6, threads, 3, func(p *results.Point) {
			p.Store, p.Transport, p.Provider, p.Emulated, p.GetRatio = "herd", "rdma", "softroce", true, share
			p.KeyBytes, p.ValueBytes, p.Batch, p.Hash = 16, 32, 32, "city128"
		})...)
	}
	return runfoldertest.Create(tb, points,
		map[string]any{
			"node": "host-a", "kind": "host", "cpus": 12, "cpu_model": "Xeon E-2136 <3.3 GHz>",
			"memory_bytes": 32 << 30,
		},
		map[string]any{
			"node": "dpu-a", "kind": "dpu", "of": "host-a", "generation": "bf2", "cpus": 8,
			"cpu_model": "Cortex-A72",
		},
		map[string]any{
			"node": "host-a", "kind": "host", "cpus": 12, "cpu_model": "Xeon E-2136 <3.3 GHz>",
			"memory_bytes": 32 << 30, "governor": "powersave",
			"findings": []map[string]any{
				{"check": "clock", "verdict": "unknown", "found": "no clock source"},
				{
					"check": "load", "verdict": "spoils", "found": "2.1 in the last minute",
					"effect": "others take CPU time", "mend": []string{"uptime"},
				},
			},
		})
}

// page writes a run's report and returns its address.
func page(tb testing.TB, run *runfolder.Run, o Options) string {
	tb.Helper()
	m := must.Get(Read(run, o))(tb)
	f, err := os.Create(filepath.Join(tb.TempDir(), "report.html"))
	if err == nil {
		err = errors.Join(m.Write(f, false), f.Close())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return "file://" + f.Name()
}

// TestManyRepeats: a run of more repeats than 2^-n has floats has a page, with an answer. 1,080
// repeats never ended.
func TestManyRepeats(t *testing.T) {
	m := must.Get(Read(runfoldertest.Large(t, 2*1080, runfoldertest.Repeats), Options{}))(t)
	if h := m.Headline; h == nil || h.Verdict != answer.Sure {
		t.Fatalf("found %+v", h)
	}
	must.Contain(t, m.Headline.Text, "CH-SH is the best placement", "1.50 times that of CH-SD", "1 080 rounds")
}

// TestLongLists: a list of more than 2,000 rows says how many there are, and where the rest is.
func TestLongLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds: a page of thousands of rows")
	}
	const rows = 2100
	run := runfoldertest.Large(t, 2*rows, func(i int) results.Point {
		p := resultstest.Point(func(p *results.Point) { p.Keys = 1000 + i/2 })
		if p.ID = fmt.Sprintf("p%d", i); i%2 == 1 {
			resultstest.Failed("no answer")(&p)
		}
		return p
	})
	b := chromium.NewBrowser(t)
	b.Open(t, page(t, run, Options{}))
	text := func(selector string) string {
		return chromium.Eval[string](t, b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
	}
	must.Contain(t, text("#points-lead"), "2 100 rows", "At most 2 000 of them are listed",
		"dpukv run export write all 4 200 points")
	must.Contain(t, text("#failed-list"), "The first 2 000 of 2 100 are listed: dpukv run export writes all points.")
	must.Contain(t, text("#limits-rest"), "of 2 100 are listed: filter to see others.")
	must.Contain(t, text("#more"), "Show 500 more of 1900")
}

// TestLargeRun draws the page of a large run.
func TestLargeRun(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	b := chromium.NewBrowser(t)
	b.Open(t, page(t, runfoldertest.LargeStudy(t, 100_000), Options{}))
	t.Logf("drawn %.0f ms after the browser began with it",
		chromium.Eval[float64](t, b, `performance.getEntriesByName("drawn")[0].startTime`))
	if rows := chromium.Eval[string](t, b,
		`document.querySelector("#points-lead").textContent`); !strings.HasPrefix(rows, "20 000 rows") {
		t.Errorf("the table begins %q", rows)
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

func BenchmarkRead(b *testing.B) {
	run := runfoldertest.LargeStudy(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(run, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLabelsAreThoseOfThePoints: the page says of each point what package results says of it, also
// of several servers that ran already, which share a placement.
func TestLabelsAreThoseOfThePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []results.Point
		for range rapid.IntRange(1, 6).Draw(t, "points") {
			points = append(points, resultstest.Point(func(p *results.Point) {
				p.Store = rapid.SampledFrom([]string{"mica", "redis"}).Draw(t, "store")
				p.Placement = rapid.SampledFrom([]string{"attached", "CH-SH"}).Draw(t, "placement")
				p.ServerAddr = rapid.SampledFrom([]string{"10.0.0.2:6379", "10.0.0.3:7000"}).Draw(t, "address")
				p.RateOps = rapid.SampledFrom([]float64{0, 500, 5e5}).Draw(t, "rate")
			}))
		}
		for _, d := range results.Dimensions() {
			of := newDimension(d, points)
			for i := range points {
				at := 0
				if len(of.At) > 0 {
					at = of.At[i]
				}
				if of.Labels[at] != d.Label(&points[i]) || of.Values[at] != d.Shown(&points[i]) {
					t.Fatalf("%s of point %d: the page says %q, %q", d.Name(), i, of.Labels[at], of.Values[at])
				}
			}
		}
	})
}
