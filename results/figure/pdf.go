package figure

import (
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfCanvas writes text in the characters of a PDF document's fonts, which are those of Windows
// code page 1252.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements [vg.Canvas].
func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(f, at, pdfText(text))
}

// pdfText encodes text. It replaces the characters that the code page lacks.
func pdfText(text string) string {
	var list []byte
	for _, r := range text {
		encoded, has := charmap.Windows1252.EncodeRune(r)
		switch {
		case has:
			list = append(list, encoded)
		case r == '≤':
			list = append(list, '<', '=')
		default:
			list = append(list, '?')
		}
	}
	return string(list)
}
