package figure

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

var (
	figure8 = Study{
		Number: 8, Example: "examples/fig8.yaml", Store: "herd",
		Placements: []string{"CH-SH", "CD-SH", "CD-SD"},
		Submodes:   []string{"off-path"}, AlsoSubmodes: []string{"off-path-sf"},
		GetRatios: []float64{1, 0.95, 0.5},
	}
	figure9 = Study{
		Number: 9, Example: "examples/fig9.yaml", Store: "mica", Placements: figure8.Placements,
		Submodes: figure8.Submodes, AlsoSubmodes: figure8.AlsoSubmodes, GetRatios: figure8.GetRatios,
	}
	figure11 = Study{
		Number: 11, Example: "examples/fig11.yaml", Store: "mica", Placements: []string{"CH-SH"},
		Submodes: []string{"sm1", "sm3", "sm5"}, AlsoSubmodes: []string{"direct"},
		GetRatios: []float64{1, 0.95, 0.5}, LogY: true,
	}
)

// studyPoints are points of each figure, in an order that is not the study's.
func studyPoints() []results.Point {
	var points []results.Point
	for i, share := range []float64{0.5, 1, 0.95} {
		for _, store := range []string{"mica", "herd"} {
			for j, placement := range []string{"CD-SD", "CH-SH", "CD-SH"} {
				points = append(points, resultstest.Curve(float64(4+i+3*j)*1e6, []int{1, 8}, 3, func(p *results.Point) {
					p.Store, p.Placement, p.GetRatio, p.ServerThreads = store, placement, share, 4+4*(j%2)
				})...)
			}
		}
		for j, submode := range []string{"sm5", "sm1", "direct"} {
			points = append(points, resultstest.Curve(float64(20-9*j)*1e6, []int{1, 8}, 1, func(p *results.Point) {
				p.Submode, p.GetRatio, p.ServerThreads = submode, share, 12
			})...)
		}
	}
	return points
}

// studyFigure is a figure of the study of these points.
func studyFigure(t *testing.T, s *Study, points []results.Point, o Options) *figure {
	t.Helper()
	o.Study = s
	figures := must.Get(o.figures(points))(t)
	return figures[0]
}

// golden compares a figure's files with those of its name.
func golden(t *testing.T, f drawable) {
	t.Helper()
	for ending, encode := range map[string]func(drawable) ([]byte, error){
		"svg": encodeAs("svg"), "csv": drawable.csv,
	} {
		resultstest.Golden(t, f.name()+"."+ending+".golden", must.Get(encode(f))(t))
	}
}

func TestStudyGolden(t *testing.T) {
	column := Layout{Width: 85 * 72 / 25.4, Font: "serif"}
	for name, c := range map[string]struct {
		study *Study
		o     Options
	}{
		"fig8":  {&figure8, Options{}},
		"fig9":  {&figure9, Options{Layout: column, Metrics: metrics(t, "p50"), SharedAxes: true}},
		"fig11": {&figure11, Options{Layout: Layout{Width: 178 * 72 / 25.4, Title: "Submodes"}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := studyFigure(t, c.study, studyPoints(), c.o)
			if f.stem != name {
				t.Errorf("its files begin with %q", f.stem)
			}
			golden(t, f)
		})
	}
}

// The panels are in the study's order, whatever the order of the points, with one style a label.
func TestStudyLayout(t *testing.T) {
	f := studyFigure(t, &figure8, studyPoints(), Options{})
	var panels []string
	styles := map[string]int{}
	for _, p := range f.panels {
		panels = append(panels, p.metric.Short+" "+p.heading)
		for _, l := range p.chart.Lines {
			if style, seen := styles[l.Label]; seen && style != l.Style {
				t.Errorf("%s has the styles %d and %d", l.Label, style, l.Style)
			}
			styles[l.Label] = l.Style
		}
	}
	want := "p50 100 % GET, p50 95 % GET, p50 50 % GET, p99 100 % GET, p99 95 % GET, p99 50 % GET"
	if found := strings.Join(panels, ", "); found != want {
		t.Errorf("panels\n%s, want\n%s", found, want)
	}
	var labels []string
	l := newLegend(f.panels, newStyle(&Layout{}))
	for _, line := range l.lines {
		labels = append(labels, line.Label)
	}
	if found := strings.Join(labels, ", "); found != "CH-SH (8), CD-SH (4), CD-SD (4)" {
		t.Errorf("legend %s", found)
	}
}

func TestStudyConditions(t *testing.T) {
	points := studyPoints()
	for _, c := range []struct {
		name   string
		study  *Study
		keep   func(*results.Point) bool
		want   string
		panels int
	}{
		{"all is there", &figure8, func(*results.Point) bool { return true }, "in parentheses: server threads", 6},
		{
			"a share is missing", &figure8, func(p *results.Point) bool { return p.GetRatio != 0.95 },
			"not measured: GET shares 95 %", 4,
		},
		{
			"a placement is missing", &figure9, func(p *results.Point) bool { return p.Placement != "CD-SH" },
			"not measured: placements CD-SH", 6,
		},
		{"a submode is missing", &figure11, func(*results.Point) bool { return true }, "not measured: submodes sm3", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kept []results.Point
			for i := range points {
				if c.keep(&points[i]) {
					kept = append(kept, points[i])
				}
			}
			f := studyFigure(t, c.study, kept, Options{})
			if said := strings.Join(f.conditions(), " · "); !strings.Contains(said, c.want) {
				t.Errorf("the conditions lack %q: %s", c.want, said)
			}
			if len(f.panels) != c.panels {
				t.Errorf("%d panels, want %d", len(f.panels), c.panels)
			}
		})
	}
}

// A card without separated-host mode stands for one with it.
func TestStudyTakesOffPathSF(t *testing.T) {
	points := studyPoints()
	for i := range points {
		if points[i].Submode == "off-path" {
			points[i].Submode = "off-path-sf"
		}
	}
	f := studyFigure(t, &figure8, points, Options{})
	if said := strings.Join(f.conditions(), " · "); !strings.Contains(said, "off-path-sf") ||
		strings.Contains(said, "not measured") {
		t.Errorf("conditions: %s", said)
	}
}

func TestStudyRefuses(t *testing.T) {
	local := resultstest.LocalPoints()
	for name, c := range map[string]struct {
		study *Study
		edit  func(*results.Point)
		want  string
	}{
		"another store": {
			&figure8, func(*results.Point) {},
			"figure 8: store: found mica, allowed: herd; to measure it: " +
				"dpukv sweep -f examples/fig8.yaml --testbed TESTBED",
		},
		"another submode": {&figure9, func(*results.Point) {}, "submodes: found direct, allowed: off-path;"},
		"too few placements": {
			&figure9, func(p *results.Point) { p.Submode, p.Placement = "off-path", "CH-SH" },
			"placements: found CH-SH, allowed: 2 or more of CH-SH, CD-SH, CD-SD;",
		},
		"too few submodes": {
			&figure11, func(*results.Point) {},
			"submodes: found direct, allowed: 2 or more of sm1, sm3, sm5;",
		},
		"another share": {
			&figure11,
			func(p *results.Point) {
				p.GetRatio, p.Placement = 0.9, "CH-SH"
				p.Submode = []string{"sm1", "sm5"}[p.ClientThreads%2]
			},
			"GET shares: found 90 %, allowed: 100 %, 95 %, 50 %;",
		},
	} {
		t.Run(name, func(t *testing.T) {
			points := append([]results.Point(nil), local...)
			for i := range points {
				c.edit(&points[i])
			}
			_, err := (&Options{Study: c.study}).figures(points)
			must.Fail(t, err, c.want)
		})
	}
}
