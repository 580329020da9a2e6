package figstyle

import (
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// The same points have the same bytes, at any time. The library has switches for all documents
// only.
func init() {
	fpdf.SetDefaultCatalogSort(true)
	date := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	fpdf.SetDefaultCreationDate(date)
	fpdf.SetDefaultModificationDate(date)
}

// pdfCanvas writes text in the characters of a PDF document's fonts, which are those of Windows
// code page 1252.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements [vg.Canvas]. A bold font gets a name of its own: the library adds each font
// as a normal one, and then does not find it as bold.
func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Weight == xfont.WeightBold {
		f.Font.Variant, f.Font.Weight = f.Font.Variant+"Bold", xfont.WeightNormal
	}
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
