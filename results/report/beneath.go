package report

import (
	"fmt"
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/probechart"
	"dpukv/results/table"
)

// beneath is what probes measured: memory, network and DMA without a store.
type beneath struct {
	Count    int                 `json:"count"` // probes
	Figures  []probeFigure       `json:"figures"`
	Tables   []*probechart.Table `json:"tables"`
	Curves   []probechart.Curve  `json:"curves"`
	Warnings []probeWarning      `json:"warnings"`
	Failed   []failedProbe       `json:"failed"`
}

type probeWarning struct {
	Text   string `json:"text"`
	Points int    `json:"points"`
}

type failedProbe struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// probeFigure is a chart in the page's form, in base units.
type probeFigure struct {
	Stem   string       `json:"stem"`
	Title  string       `json:"title"`
	X      probeAxis    `json:"x"`
	Y      probeAxis    `json:"y"`
	Panels []probePanel `json:"panels"`
	Notes  []string     `json:"notes"`
}

type probeAxis struct {
	Title string      `json:"title"`
	Label string      `json:"label"` // the title with the unit
	Unit  numfmt.Unit `json:"unit"`
	Log   bool        `json:"log"`
	Size  bool        `json:"size"`  // in bytes: ticks at powers of two
	Whole bool        `json:"whole"` // counts things
}

type probePanel struct {
	Heading string      `json:"heading"`
	Lines   []probeLine `json:"lines"`
}

type probeLine struct {
	Label string      `json:"label"`
	Style int         `json:"style"`
	Marks []probeMark `json:"marks"`
}

type probeMark struct {
	X        [3]brief `json:"x"` // least, median, greatest
	Y        [3]brief `json:"y"`
	Repeats  int      `json:"repeats"`
	Emulated bool     `json:"emulated"`
	Warned   bool     `json:"warned"`
}

// fillBeneath makes the part of the page about probes, and tells each line its curve.
func (m *Model) fillBeneath(probes []results.Point) {
	ok, failed := results.Split(probes)
	m.Beneath = beneath{
		Count: len(probes), Figures: []probeFigure{}, Tables: []*probechart.Table{},
		Curves: []probechart.Curve{}, Warnings: []probeWarning{}, Failed: []failedProbe{},
	}
	p50 := results.NamedMetric("p50")
	for _, c := range probechart.Charts(probes, []*results.Metric{p50}) {
		m.Beneath.Figures = append(m.Beneath.Figures, newProbeFigure(&c))
	}
	bandwidths := probechart.Bandwidths(probes, probechart.NewNodes(m.Nodes))
	if t := probechart.BandwidthTable(bandwidths); t != nil {
		m.Beneath.Tables = append(m.Beneath.Tables, t)
	}
	for _, g := range table.GroupWarnings(ok) {
		warning := probeWarning{g.Example.String(), len(g.Points)}
		m.Beneath.Warnings = append(m.Beneath.Warnings, warning)
	}
	for _, p := range failed {
		m.Beneath.Failed = append(m.Beneath.Failed, failedProbe{p.ID, p.Error})
	}
	m.fillCurves(probes)
}

// fillCurves says what the curves are made of.
func (m *Model) fillCurves(probes []results.Point) {
	curves := probechart.Breakdown(m.Points, probes)
	m.Beneath.Curves = append(m.Beneath.Curves, curves...)
	of := map[*results.Point]int{}
	for i := range curves {
		for _, p := range curves[i].Points {
			of[p] = i
		}
	}
	for i := range m.Lines {
		m.Lines[i].Curve = -1
		if at, known := of[&m.Points[m.Lines[i].Marks[0][0]]]; known {
			m.Lines[i].Curve = at
		}
	}
}

func newProbeFigure(c *probechart.Chart) probeFigure {
	f := probeFigure{
		Stem: c.Stem, Title: c.Title, X: newProbeAxis(&c.X), Y: newProbeAxis(&c.Y),
		Notes: slices.Concat(c.Common, c.Notes),
	}
	if n := len(c.Failed); n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("failed and not drawn: %d", n))
	}
	for _, p := range c.Panels {
		panel := probePanel{Heading: p.Heading, Lines: []probeLine{}}
		for _, l := range p.Lines {
			line := probeLine{Label: l.Label, Style: l.Style}
			for _, mark := range l.Marks {
				line.Marks = append(line.Marks, newProbeMark(&mark))
			}
			panel.Lines = append(panel.Lines, line)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}

func newProbeAxis(a *probechart.Axis) probeAxis {
	return probeAxis{
		Title: a.Title, Label: a.Label(), Unit: a.Unit, Log: a.Log,
		Size: a.Quantity == probechart.Size, Whole: a.Quantity == probechart.Count,
	}
}

func newProbeMark(m *probechart.Mark) probeMark {
	three := func(s results.Spread) [3]brief {
		return [3]brief{brief(s.Min), brief(s.Median), brief(s.Max)}
	}
	return probeMark{
		X: three(m.X), Y: three(m.Y), Repeats: len(m.Repeats),
		Emulated: slices.ContainsFunc(m.Repeats, (*results.Point).IsEmulated),
		Warned:   slices.ContainsFunc(m.Repeats, (*results.Point).HasWarnings),
	}
}
