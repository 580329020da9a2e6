package figstyle

import (
	"image/color"
	"strings"

	xfont "golang.org/x/image/font"
	_ "gonum.org/v1/plot" // registers the fonts
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a figure: the width of a page's text, and a resolution for print.
const (
	Width  = 6.5 * vg.Inch
	DPI    = 200
	Margin = vg.Length(8)
)

// Greys, darkest first.
var (
	Ink      = color.Gray{Y: 0x20}
	FaintInk = color.Gray{Y: 0x60}
	GridInk  = color.Gray{Y: 0xe4}
)

// Colours that colour-blind readers can tell apart (Okabe and Ito).
var (
	Black     = color.RGBA{0x00, 0x00, 0x00, 0xff}
	Blue      = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	Vermilion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	Green     = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	Purple    = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	Orange    = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	Sky       = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
)

// Text styles that all figures share.
var (
	TitleText = Sans(11.5, xfont.WeightBold, Ink)
	AxisText  = Sans(10, xfont.WeightNormal, Ink)
	FootText  = Sans(7.5, xfont.WeightNormal, FaintInk)
)

// Sans is a text style in Liberation Sans.
func Sans(size vg.Length, weight xfont.Weight, c color.Color) text.Style {
	return Text("Sans", size, weight, c)
}

// Text is a text style in a variant of Liberation: "Sans", "Serif" or "Mono". The fonts come with
// the plot library.
func Text(variant font.Variant, size vg.Length, weight xfont.Weight, c color.Color) text.Style {
	return text.Style{
		Font:    font.Font{Typeface: "Liberation", Variant: variant, Size: size, Weight: weight},
		Color:   c,
		XAlign:  text.XLeft,
		YAlign:  text.YBottom,
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

// Write writes a line of text whose box begins at corner, bottom left.
func Write(c draw.Canvas, s text.Style, corner vg.Point, line string) {
	corner.Y += s.FontExtents().Descent
	c.FillText(s, corner, line)
}

// LineHeight is the distance from one line of text to the next.
func LineHeight(s text.Style) vg.Length { return s.FontExtents().Height }

// Wrap joins items into lines of at most this width. It splits an item only if the item is wider
// than a line, and then between words.
func Wrap(items []string, style text.Style, width vg.Length) []string {
	var lines []string
	for _, item := range items {
		last := len(lines) - 1
		switch {
		case last >= 0 && style.Width(lines[last]+" · "+item) <= width:
			lines[last] += " · " + item
		case style.Width(item) <= width:
			lines = append(lines, item)
		default:
			lines = append(lines, fill(strings.Fields(item), style, width)...)
		}
	}
	return lines
}

// fill fills lines with words.
func fill(words []string, style text.Style, width vg.Length) []string {
	var lines []string
	for _, word := range words {
		last := len(lines) - 1
		if last >= 0 && style.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
