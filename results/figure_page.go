package results

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// page is a figure laid out: title and legend above the plot, where they cover no data, and the
// conditions below it.
type page struct {
	title  string
	legend legend
	plot   *plot.Plot
	foot   []string
}

func (f *figure) page() (*page, error) {
	curves, x, y := f.curves()
	p, err := f.plot(curves, x, y)
	if err != nil {
		return nil, err
	}
	return &page{
		title:  f.chart.Title,
		legend: newLegend(curves, textWidth),
		plot:   p,
		foot:   wrap(f.conditions(), footText, textWidth),
	}, nil
}

func (f *figure) png() ([]byte, error) {
	p, err := f.page()
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(figureWidth, p.height()), vgimg.UseDPI(figureDPI))
	p.draw(draw.New(canvas))
	return written(vgimg.PngCanvas{Canvas: canvas})
}

func (f *figure) svg() ([]byte, error) {
	p, err := f.page()
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(figureWidth, p.height())
	p.draw(draw.New(canvas))
	data, err := written(canvas)
	// The font is not embedded, which would make each figure half a megabyte. Arial and
	// Helvetica have the same widths.
	fonts := []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"), fonts), err
}

func written(w io.WriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := w.WriteTo(&b)
	return b.Bytes(), err
}

const (
	textWidth  = figureWidth - 2*margin
	partGap    = vg.Length(6) // between the parts of a page
	footLead   = vg.Length(1) // between the lines of the foot
	legendLead = vg.Length(3)
)

func (p *page) titleHeight() vg.Length { return lineHeight(titleText) + partGap }

func (p *page) footHeight() vg.Length {
	return vg.Length(len(p.foot))*(lineHeight(footText)+footLead) + partGap
}

func (p *page) height() vg.Length {
	return 2*margin + p.titleHeight() + p.legend.height() + plotHeight + p.footHeight()
}

func (p *page) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	write(c, titleText, vg.Point{X: c.Min.X, Y: c.Max.Y - lineHeight(titleText)}, p.title)
	c = draw.Crop(c, 0, 0, 0, -p.titleHeight())
	p.legend.draw(c)
	c = draw.Crop(c, 0, 0, 0, -p.legend.height())
	for i, line := range p.foot {
		y := c.Min.Y + vg.Length(len(p.foot)-1-i)*(lineHeight(footText)+footLead)
		write(c, footText, vg.Point{X: c.Min.X, Y: y}, line)
	}
	p.plot.Draw(draw.Crop(c, 0, 0, p.footHeight(), 0))
}

func lineHeight(s text.Style) vg.Length { return s.FontExtents().Height }

// write writes a line of text whose box begins at corner, bottom left.
func write(c draw.Canvas, s text.Style, corner vg.Point, line string) {
	corner.Y += s.FontExtents().Descent
	c.FillText(s, corner, line)
}

// wrap joins items into lines that are at most this wide. An item is not split.
func wrap(items []string, style text.Style, width vg.Length) []string {
	const separator = " · "
	var lines []string
	for _, item := range items {
		last := len(lines) - 1
		if last >= 0 && style.Width(lines[last]+separator+item) <= width {
			lines[last] += separator + item
		} else {
			lines = append(lines, item)
		}
	}
	return lines
}
