package figure

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"dpukv/internal/figstyle"
)

// Layout is the size and the text of a figure. The zero value is that of a page on a screen.
type Layout struct {
	Width    vg.Length // 0: that of a page's text
	Font     string    // a key of [Fonts]; "": sans
	FontSize vg.Length // of the axes' labels, whatever the width; 0: 10 pt, with a width 8 pt
	Title    string    // "": made from the points
	NoTitle  bool
}

// The limits of a layout.
const (
	leastWidth    = 60 * vg.Millimeter
	mostWidth     = 600 * vg.Millimeter
	leastFontSize = vg.Length(7) // no text of a figure is smaller
	mostFontSize  = vg.Length(24)
)

// Fonts are the fonts that a figure can have. All are embedded in dpukv.
var Fonts = map[string]font.Variant{"sans": "Sans", "serif": "Serif", "mono": "Mono"}

// ParseFont reads the name of a font.
func ParseFont(name string) (string, error) {
	if _, known := Fonts[name]; !known {
		return "", fmt.Errorf("found %q, allowed: sans, serif, mono", name)
	}
	return name, nil
}

// ParseWidth reads the width of a figure, such as "85mm".
func ParseWidth(text string) (vg.Length, error) {
	return parseLength(text, leastWidth, mostWidth, "60mm to 600mm, in mm, cm, in or pt")
}

// ParseFontSize reads the size of a font, such as "8pt".
func ParseFontSize(text string) (vg.Length, error) {
	return parseLength(text, leastFontSize, mostFontSize, "7pt to 24pt")
}

var lengthUnits = map[string]vg.Length{
	"mm": vg.Millimeter, "cm": vg.Centimeter, "in": vg.Inch, "pt": vg.Points(1),
}

// parseLength reads a number with a unit behind it.
func parseLength(text string, least, most vg.Length, allowed string) (vg.Length, error) {
	text = strings.TrimSpace(text)
	if n := len(text) - 2; n > 0 {
		unit, known := lengthUnits[text[n:]]
		number, err := strconv.ParseFloat(strings.TrimSpace(text[:n]), 64)
		// A sum in floating point may miss the limit by a last bit.
		length := vg.Length(number) * unit
		if known && err == nil && length >= least*(1-1e-9) && length <= most*(1+1e-9) {
			return length, nil
		}
	}
	return 0, fmt.Errorf("found %q, allowed: %s", text, allowed)
}

func (l *Layout) width() vg.Length { return cmp.Or(l.Width, figstyle.Width) }

// title is the title of a page that has this one from its points, or "" for none.
func (l *Layout) title(ofPoints string) string {
	if l.NoTitle {
		return ""
	}
	return cmp.Or(l.Title, ofPoints)
}

func (l *Layout) fontSize() vg.Length {
	switch {
	case l.FontSize != 0:
		return l.FontSize
	case l.Width != 0:
		return 8
	}
	return 10
}
