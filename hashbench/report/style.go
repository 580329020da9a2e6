package report

import (
	"image/color"

	xfont "golang.org/x/image/font"
	_ "gonum.org/v1/plot" // has the fonts
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The measures and colours are those of the figures in a run folder, so that both can stand on one page.
const (
	figureWidth = 6.5 * vg.Inch
	figureDPI   = 200
	margin      = vg.Length(8)
	partGap     = vg.Length(6)
	barHeight   = vg.Length(6)
	groupGap    = vg.Length(5)
)

var (
	ink      = color.Gray{Y: 0x20}
	faintInk = color.Gray{Y: 0x60}
	gridInk  = color.Gray{Y: 0xe4}
)

// sans returns a text style; Liberation Sans comes with the plot library.
func sans(size vg.Length, weight xfont.Weight, c color.Color) text.Style {
	return text.Style{
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size, Weight: weight},
		Color:   c,
		XAlign:  text.XLeft,
		YAlign:  text.YBottom,
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

var (
	titleText  = sans(11.5, xfont.WeightBold, ink)
	axisText   = sans(10, xfont.WeightNormal, ink)
	labelText  = sans(8.5, xfont.WeightNormal, ink)
	footText   = sans(7.5, xfont.WeightNormal, faintInk)
	barColours = []color.Color{
		color.RGBA{0x00, 0x72, 0xb2, 0xff}, // Okabe and Ito: the colour-blind can tell them apart
		color.RGBA{0xe6, 0x9f, 0x00, 0xff},
		color.RGBA{0xd5, 0x5e, 0x00, 0xff},
		color.RGBA{0x00, 0x9e, 0x73, 0xff},
		color.RGBA{0xcc, 0x79, 0xa7, 0xff},
		color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	}
)

// write writes a line of text whose box begins at corner, bottom left.
func write(c draw.Canvas, s text.Style, corner vg.Point, line string) {
	corner.Y += s.FontExtents().Descent
	c.FillText(s, corner, line)
}

func lineHeight(s text.Style) vg.Length { return s.FontExtents().Height }

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
