package results_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// outline is the content of a chart as text: stem, then "label: axis value, …" a line.
func outline(charts []results.Chart) []string {
	var lines []string
	for _, c := range charts {
		lines = append(lines, fmt.Sprintf("%s | %s", c.Stem, c.Title))
		for _, l := range c.Lines {
			var values []string
			for _, m := range l.Marks {
				v := m.AxisValue
				if len(m.Repeats) > 1 {
					v += fmt.Sprintf("×%d", len(m.Repeats))
				}
				values = append(values, v)
			}
			lines = append(lines, fmt.Sprintf("  %s | %v: %s", l.Label, l.Axis.Title(), strings.Join(values, " ")))
		}
		for _, f := range c.Failed {
			lines = append(lines, "  failed: "+f.ID)
		}
	}
	return lines
}

// vary makes a point for each combination of values that edits set.
func vary(edits ...[]func(*results.Point)) []results.Point {
	combinations := [][]func(*results.Point){nil}
	for _, choices := range edits {
		var next [][]func(*results.Point)
		for _, c := range combinations {
			for _, choice := range choices {
				next = append(next, append(slices.Clone(c), choice))
			}
		}
		combinations = next
	}
	var points []results.Point
	for _, c := range combinations {
		points = append(points, resultstest.LocalPoint(c...))
	}
	return points
}

// each makes the choices of one dimension.
func each[T any](set func(*results.Point, T), values ...T) []func(*results.Point) {
	var edits []func(*results.Point)
	for _, v := range values {
		edits = append(edits, func(p *results.Point) { set(p, v) })
	}
	return edits
}

var (
	setThreads   = func(p *results.Point, n int) { p.ClientThreads = n }
	setServers   = func(p *results.Point, n int) { p.ServerThreads = n }
	setRepeat    = func(p *results.Point, n int) { p.Repeat = n }
	setShare     = func(p *results.Point, x float64) { p.GetRatio = x }
	setRate      = func(p *results.Point, x float64) { p.RateOps = x }
	setPlacement = func(p *results.Point, s string) { p.Placement = s }
	setSubmode   = func(p *results.Point, s string) { p.Submode = s }
	setBatch     = func(p *results.Point, n int) { p.Batch = n }
	setValue     = func(p *results.Point, n int) { p.ValueBytes = n }
	setStore     = func(p *results.Point, s string) { p.Store = s }
)

func TestCharts(t *testing.T) {
	for name, c := range map[string]struct {
		points []results.Point
		want   []string
	}{
		"client threads, repeated": {
			vary(each(setThreads, 10, 2, 1), each(setRepeat, 1, 2, 3)),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1×3 2×3 10×3",
			},
		},
		"GET shares make charts and an overview": {
			vary(each(setShare, 1, 0.5), each(setThreads, 1, 2)),
			[]string{
				"mica-get50 | MICA, 50 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1 2",
				"mica-get100 | MICA, 100 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1 2",
				"mica | MICA, 8 B keys, 8 B values, batch 64",
				"  50 % GET | client threads: 1 2",
				"  100 % GET | client threads: 1 2",
			},
		},
		"labels name only what varies": {
			vary(each(setPlacement, "CH-SH", "CD-SH"), each(setServers, 4, 8), each(setThreads, 1, 2)),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  CH-SH, 4 server threads | client threads: 1 2",
				"  CH-SH, 8 server threads | client threads: 1 2",
				"  CD-SH, 4 server threads | client threads: 1 2",
				"  CD-SH, 8 server threads | client threads: 1 2",
			},
		},
		"submodes are lines": {
			vary(each(setSubmode, "sm5", "sm1"), each(setThreads, 1, 2)),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  SM1 | client threads: 1 2",
				"  SM5 | client threads: 1 2",
			},
		},
		"sizes and stores are charts": {
			append(vary(each(setValue, 8, 64)), vary(each(setStore, "herd"))...),
			[]string{
				"herd-get95 | HERD, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1",
				"mica-get95-value8 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1",
				"mica-get95-value64 | MICA, 95 % GET, 8 B keys, 64 B values, batch 64",
				"  local | client threads: 1",
			},
		},
		"offered rates": {
			vary(each(setRate, 1e6, 5e5), each(setThreads, 1, 2)),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  1 client thread | offered Mops: 0.5 1",
				"  2 client threads | offered Mops: 0.5 1",
			},
		},
		"one rate, swept threads": {
			vary(each(setRate, 5e5), each(setThreads, 1, 2)),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1 2",
			},
		},
		"open and closed loop": {
			vary(each(setRate, 0, 5e5, 1e6)),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  closed loop | client threads: 1",
				"  open loop | offered Mops: 0.5 1",
			},
		},
		"batches": {
			vary(each(setBatch, 64, 1, 8)),
			[]string{"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values", "  local | batch: 1 8 64"},
		},
		"failed points are counted, not drawn": {
			append(vary(each(setThreads, 1, 2)),
				resultstest.LocalPoint(resultstest.Failed("?"), resultstest.WithID("here"), func(p *results.Point) {
					p.ClientThreads, p.Transport = 3, ""
				}),
				resultstest.LocalPoint(resultstest.Failed("?"), resultstest.WithID("elsewhere"),
					func(p *results.Point) {
						p.GetRatio = 1
					})),
			[]string{
				"mica-get95 | MICA, 95 % GET, 8 B keys, 8 B values, batch 64",
				"  local | client threads: 1 2",
				"  failed: here",
			},
		},
		"only failed": {[]results.Point{resultstest.LocalPoint(resultstest.Failed("?"))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outline(results.Charts(c.points)); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestOverviewThatWouldBeUnreadableIsLeftOut(t *testing.T) {
	placements := each(setPlacement, "CH-SH", "CD-SH", "CH-SD", "CD-SD", "CDH-SH")
	for _, c := range results.Charts(vary(placements, each(setShare, 1, 0.95, 0.5))) {
		if c.Stem == "mica" {
			t.Errorf("an overview of %d lines", len(c.Lines))
		}
	}
}

// Each point that is ok is in exactly one mark of the charts by GET share, for any set of points in
// any order. The repeats of a mark differ only in their repeat. Labels tell the lines of a chart
// apart, and a label has the same style everywhere.
func TestChartsLoseAndMixNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, values ...int) []int {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(values), 1, len(values), rapid.ID).Draw(t, name)
		}
		points := vary(
			each(func(p *results.Point, n int) { p.Store = []string{"mica", "herd"}[n] }, pick("store", 0, 1)...),
			each(func(p *results.Point, n int) { p.GetRatio = float64(n) / 100 }, pick("share", 50, 95, 100)...),
			each(func(p *results.Point, n int) {
				p.Placement = []string{"CH-SH", "CD-SH"}[n]
			}, pick("placement", 0, 1)...),
			each(func(p *results.Point, n int) { p.RateOps = float64(n) * 1e5 }, pick("rate", 0, 1, 5)...),
			each(setThreads, pick("threads", 1, 2, 8)...),
			each(setBatch, pick("batch", 1, 64)...),
			each(setRepeat, 1, 2),
		)
		for i := range points {
			points[i].ID = fmt.Sprint(i)
			if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				resultstest.Failed("?")(&points[i])
			}
		}
		seed := rapid.Uint64().Draw(t, "order")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(points), func(i, j int) {
			points[i], points[j] = points[j], points[i]
		})

		drawn := map[string]int{}
		styles := map[string]int{}
		for _, c := range results.Charts(points) {
			labels := map[string]bool{}
			for _, l := range c.Lines {
				if labels[l.Label] {
					t.Fatalf("%s: two lines are %q", c.Stem, l.Label)
				}
				labels[l.Label] = true
				for _, m := range l.Marks {
					for _, p := range m.Repeats {
						if len(results.Varying(results.Dimensions(), []*results.Point{p, m.Repeats[0]})) > 0 {
							t.Fatalf("%s, %s: %s and %s in one mark", c.Stem, l.Label, p.ID, m.Repeats[0].ID)
						}
						if strings.Contains(c.Stem, "-get") {
							drawn[p.ID]++
						}
					}
				}
				if strings.Contains(c.Stem, "-get") {
					key := m0(c).Store + "/" + l.Label
					if before, known := styles[key]; known && before != l.Style {
						t.Fatalf("%s has the styles %d and %d", key, before, l.Style)
					}
					styles[key] = l.Style
				}
			}
		}
		for _, p := range points {
			want := map[string]int{results.StatusOK: 1, results.StatusFailed: 0}[p.Status]
			if drawn[p.ID] != want {
				t.Fatalf("point %s, which is %s, was drawn %d times", p.ID, p.Status, drawn[p.ID])
			}
		}
	})
}

func m0(c results.Chart) *results.Point { return c.Lines[0].Marks[0].Repeats[0] }

// Lines come in the study's order of placements, then those of the testbed, whatever the order of
// the points.
func TestPlacementsInTheStudysOrder(t *testing.T) {
	var points []results.Point
	for _, name := range []string{"ours", "L-CD-SH", "CD-SD", "CDH-SH", "HOSTS-SD", "CH-SD", "CD-SH", "CH-SH"} {
		points = append(points, resultstest.LocalPoint(func(p *results.Point) { p.Placement = name }))
	}
	want := []string{"CH-SH", "CD-SH", "CDH-SH", "CH-SD", "CD-SD", "L-CD-SH", "HOSTS-SD", "ours"}
	var labels []string
	for i, l := range results.Charts(points)[0].Lines {
		labels = append(labels, l.Label)
		if l.Style != i {
			t.Errorf("line %d has style %d", i, l.Style)
		}
	}
	if !slices.Equal(labels, want) {
		t.Errorf("lines %q, want %q", labels, want)
	}
}
