package figstyle

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"dpukv/internal/foreign"
)

// Picture is a figure that can be drawn.
type Picture struct {
	Width, Height vg.Length
	DPI           int // of pixel formats
	Draw          func(draw.Canvas)
}

// Formats are the formats of a picture.
var Formats = []string{"svg", "png", "pdf"}

// Encode draws the picture in one of [Formats].
func (p *Picture) Encode(format string) ([]byte, error) {
	switch format {
	case "svg":
		return p.svg()
	case "png":
		canvas := vgimg.NewWith(vgimg.UseWH(p.Width, p.Height), vgimg.UseDPI(p.DPI))
		p.Draw(draw.New(lines{canvas}))
		return written(vgimg.PngCanvas{Canvas: canvas})
	case "pdf":
		canvas := vgpdf.New(p.Width, p.Height) // embeds the fonts
		p.Draw(draw.New(lines{pdfCanvas{canvas}}))
		return written(canvas)
	}
	return nil, fmt.Errorf("format of a picture: found %q, allowed: %v", format, Formats)
}

// svg does not embed the fonts: that would make each figure half a megabyte. The named alternatives
// have the same widths.
func (p *Picture) svg() ([]byte, error) {
	canvas := vgsvg.New(p.Width, p.Height)
	p.Draw(draw.New(lines{canvas}))
	data, err := written(canvas)
	for family, alike := range map[string]string{
		"Sans":  "Arial,Helvetica,sans-serif",
		"Serif": "'Times New Roman',Times,serif",
		"Mono":  "'Courier New',Courier,monospace",
	} {
		name := "Liberation " + family
		data = bytes.ReplaceAll(data, []byte("font-family:"+name+";"),
			[]byte("font-family:'"+name+"',"+alike+";"))
	}
	return data, err
}

// maxText is the limit of one text, in bytes: more does not fit a page.
const maxText = 1 << 10

// lines is a canvas that shows the control characters of texts, and the begin of long ones.
type lines struct{ vg.CanvasSizer }

// FillString implements [vg.Canvas].
func (c lines) FillString(f font.Face, at vg.Point, text string) {
	c.CanvasSizer.FillString(f, at, foreign.Clip(foreign.Line(text), maxText))
}

func written(w io.WriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := w.WriteTo(&b)
	return b.Bytes(), err
}
