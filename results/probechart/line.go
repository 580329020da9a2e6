package probechart

import (
	"slices"
	"strconv"
	"strings"

	"dpukv/results"
)

// drawer makes the lines of all panels of a chart, so that the panels agree on labels.
type drawer struct {
	x     *along
	y     *figureAxis
	panel string
	dims  []*results.Dimension // of the points, that vary
	said  []string             // settings that vary, without those of the axis and the panels
	same  []string             // settings that do not vary
	runs  bool                 // points whose machine is unknown are of several runs
}

// placeDimensions tell where a probe ran, and over what.
func placeDimensions() []*results.Dimension {
	return results.Named("placement", "submode", "datapath", "filter", "transport", "provider",
		"emulated_testbed", "machine")
}

func newDrawer(points []*results.Point, x *along, y *figureAxis, panel string) *drawer {
	d := &drawer{
		x: x, y: y, panel: panel, dims: results.Varying(placeDimensions(), points),
		runs: severalRuns(points),
	}
	for _, name := range settingsOf(points) {
		switch {
		case name == x.setting || name == panel:
		case len(values(points, name)) > 1:
			d.said = append(d.said, name)
		case name != "test":
			d.same = append(d.same, name)
		}
	}
	return d
}

// places splits points by where they ran. In a merged folder, points without a machine are repeats
// of those of their own run only.
func places(points []*results.Point) [][]*results.Point {
	var list [][]*results.Point
	for _, g := range results.Group(placeDimensions(), points) {
		if g[0].Machine != "" {
			list = append(list, g)
		} else {
			list = append(list, bySource(g)...)
		}
	}
	return list
}

// severalRuns reports whether points at one place, without a machine, are of several runs.
func severalRuns(points []*results.Point) bool {
	for _, g := range results.Group(placeDimensions(), points) {
		if g[0].Machine == "" && len(bySource(g)) > 1 {
			return true
		}
	}
	return false
}

// run names the run of a point without a machine, if there are several.
func (d *drawer) run(p *results.Point) string {
	if !d.runs || p.Machine != "" {
		return ""
	}
	return "run " + strconv.Itoa(p.Source)
}

// where names what varies of the place.
func (d *drawer) where(p *results.Point, without ...*results.Dimension) string {
	words := []string{results.Labels(results.Without(d.dims, without), p), d.run(p)}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	return strings.Join(words, ", ")
}

// label names what varies among the lines, or else the place.
func (d *drawer) label(p *results.Point) string {
	words := d.words(p, d.said)
	if where := d.where(p); where != "" {
		words = append([]string{where}, words...)
	}
	if len(words) == 0 {
		return p.Placement
	}
	return strings.Join(words, ", ")
}

func (d *drawer) words(p *results.Point, settings []string) []string {
	var words []string
	for _, name := range settings {
		if text := settingWords(name, p.Settings[name]); text != "" {
			words = append(words, text)
		}
	}
	return words
}

// common says what all points share.
func (d *drawer) common(p *results.Point) []string {
	same := results.Without(placeDimensions(), append(results.Named("machine"), d.dims...))
	var list []string
	if where := results.Labels(same, p); where != "" {
		list = append(list, where)
	}
	return append(list, d.words(p, d.same)...)
}

// lines sorts points into lines: a line is a place with a value of each setting that varies.
func (d *drawer) lines(points []*results.Point, label func(*results.Point) string) []Line {
	var lines []Line
	for _, place := range places(points) {
		for _, configuration := range groupBy(place, d.said) {
			lines = append(lines, Line{
				Label: label(configuration[0]), Marks: d.marks(configuration),
			})
		}
	}
	return lines
}

// groupBy splits points by settings, in the order of their values.
func groupBy(points []*results.Point, settings []string) [][]*results.Point {
	groups := [][]*results.Point{points}
	for _, name := range settings {
		var finer [][]*results.Point
		for _, g := range groups {
			for _, v := range values(g, name) {
				finer = append(finer, slices.DeleteFunc(slices.Clone(g),
					func(p *results.Point) bool { return p.Settings[name] != v }))
			}
		}
		groups = finer
	}
	return groups
}

func (d *drawer) marks(points []*results.Point) []Mark {
	var marks []Mark
	for _, repeats := range groupBy(points, []string{d.x.setting}) {
		y := results.SpreadBy(repeats, results.FigureMetric(d.y.name).Of)
		marks = append(marks, Mark{X: results.SpreadBy(repeats, d.at), Y: y, Repeats: repeats})
	}
	return marks
}

// at is a point's place along the x axis.
func (d *drawer) at(p *results.Point) float64 {
	if d.x.figure != "" {
		return p.Figures[d.x.figure]
	}
	n, err := strconv.ParseFloat(p.Settings[d.x.setting], 64)
	if err != nil {
		return 0
	}
	return n
}

// emulated reports whether all marks of a line have emulated points only.
func (l *Line) emulated() bool {
	for _, m := range l.Marks {
		if slices.ContainsFunc(m.Repeats, func(p *results.Point) bool { return !p.Emulated }) {
			return false
		}
	}
	return true
}
