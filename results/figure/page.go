package figure

import (
	"bytes"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"dpukv/internal/figstyle"
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
		foot:   figstyle.Wrap(f.conditions(), figstyle.FootText, textWidth),
	}, nil
}

func (f *figure) png() ([]byte, error) {
	p, err := f.page()
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(figstyle.Width, p.height()), vgimg.UseDPI(figstyle.DPI))
	p.draw(draw.New(canvas))
	return written(vgimg.PngCanvas{Canvas: canvas})
}

func (f *figure) svg() ([]byte, error) {
	p, err := f.page()
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(figstyle.Width, p.height())
	p.draw(draw.New(canvas))
	data, err := written(canvas)
	// The font is not embedded: that would make each figure half a megabyte. Arial and Helvetica
	// have the same widths.
	fonts := []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"), fonts), err
}

func written(w io.WriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := w.WriteTo(&b)
	return b.Bytes(), err
}

const (
	textWidth  = figstyle.Width - 2*figstyle.Margin
	partGap    = vg.Length(6) // between the parts of a page
	footLead   = vg.Length(1) // between the lines of the foot
	legendLead = vg.Length(3)
)

func (p *page) titleHeight() vg.Length { return figstyle.LineHeight(figstyle.TitleText) + partGap }

func (p *page) footHeight() vg.Length {
	return vg.Length(len(p.foot))*(figstyle.LineHeight(figstyle.FootText)+footLead) + partGap
}

func (p *page) height() vg.Length {
	return 2*figstyle.Margin + p.titleHeight() + p.legend.height() + plotHeight + p.footHeight()
}

func (p *page) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, figstyle.Margin, -figstyle.Margin, figstyle.Margin, -figstyle.Margin)
	titleCorner := vg.Point{X: c.Min.X, Y: c.Max.Y - figstyle.LineHeight(figstyle.TitleText)}
	figstyle.Write(c, figstyle.TitleText, titleCorner, p.title)
	c = draw.Crop(c, 0, 0, 0, -p.titleHeight())
	p.legend.draw(c)
	c = draw.Crop(c, 0, 0, 0, -p.legend.height())
	for i, line := range p.foot {
		y := c.Min.Y + vg.Length(len(p.foot)-1-i)*(figstyle.LineHeight(figstyle.FootText)+footLead)
		figstyle.Write(c, figstyle.FootText, vg.Point{X: c.Min.X, Y: y}, line)
	}
	p.plot.Draw(draw.Crop(c, 0, 0, p.footHeight(), 0))
}
