package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"dpukv/internal/figstyle"
)

// page is a figure laid out: title and legend above the plots, where they cover no data, and the
// conditions below them.
type page struct {
	style  *style
	title  []string
	legend legend
	grid   grid
	foot   []string
}

func (f *figure) page() (*page, error) {
	s := newStyle(&f.layout)
	g, err := f.newGrid(s)
	if err != nil {
		return nil, err
	}
	return newPage(s, f.shownTitle(), newLegend(f.panels, s), g, f.conditions()), nil
}

// newPage lays out the parts of a page. An empty title is none.
func newPage(s *style, title string, l legend, g grid, conditions []string) *page {
	p := &page{
		style: s, legend: l, grid: g, foot: figstyle.Wrap(conditions, s.foot, s.textWidth()),
	}
	if title != "" {
		p.title = figstyle.Wrap([]string{title}, s.title, s.textWidth())
	}
	return p
}

const (
	partGap  = vg.Length(6) // between the parts of a page
	footLead = vg.Length(1) // between the lines of the foot
)

func (p *page) titleHeight() vg.Length {
	if len(p.title) == 0 {
		return 0
	}
	return vg.Length(len(p.title))*figstyle.LineHeight(p.style.title) + partGap*p.style.scale
}

func (p *page) footLine() vg.Length { return figstyle.LineHeight(p.style.foot) + footLead }

func (p *page) footHeight() vg.Length {
	return vg.Length(len(p.foot))*p.footLine() + partGap*p.style.scale
}

func (p *page) height() vg.Length {
	return 2*p.style.margin + p.titleHeight() + p.legend.height() + p.grid.height() + p.footHeight()
}

func (p *page) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	margin := p.style.margin
	c = draw.Crop(c, margin, -margin, margin, -margin)
	for i, line := range p.title {
		y := c.Max.Y - vg.Length(i+1)*figstyle.LineHeight(p.style.title)
		figstyle.Write(c, p.style.title, vg.Point{X: c.Min.X, Y: y}, line)
	}
	c = draw.Crop(c, 0, 0, 0, -p.titleHeight())
	p.legend.draw(c)
	c = draw.Crop(c, 0, 0, 0, -p.legend.height())
	for i, line := range p.foot {
		y := c.Min.Y + vg.Length(len(p.foot)-1-i)*p.footLine()
		figstyle.Write(c, p.style.foot, vg.Point{X: c.Min.X, Y: y}, line)
	}
	p.grid.draw(draw.Crop(c, 0, 0, p.footHeight(), 0))
}
