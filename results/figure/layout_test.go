package figure

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestParseLayout(t *testing.T) {
	for text, want := range map[string]vg.Length{
		"85mm": 85 * vg.Millimeter, "8.5cm": 85 * vg.Millimeter, "7in": 7 * vg.Inch, " 500 pt ": 500,
		"60mm": 60 * vg.Millimeter, "600mm": 600 * vg.Millimeter,
	} {
		if found, err := ParseWidth(text); err != nil || found-want > 1e-9 || want-found > 1e-9 {
			t.Errorf("%q: found %v, %v", text, found, err)
		}
	}
	for _, text := range []string{"", "85", "mm", "10mm", "5m", "-85mm", "NaNmm", "85 furlongs", "2000pt"} {
		_, err := ParseWidth(text)
		if err == nil || !strings.Contains(err.Error(), "allowed: 60mm to 600mm, in mm, cm, in or pt") {
			t.Errorf("%q: found %v", text, err)
		}
	}
	_, err := ParseFontSize("6pt")
	must.Fail(t, err, "allowed: 7pt to 24pt")
	if _, err := ParseFont("comic"); err == nil || !strings.Contains(err.Error(), "allowed: sans, serif, mono") {
		t.Errorf("comic: found %v", err)
	}
}

// TestLegendStaysInThePicture: no label leaves the page, however long it is and however narrow the
// page, and rows never lie on each other.
func TestLegendStaysInThePicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStyle(&Layout{Width: vg.Length(rapid.IntRange(60, 600).Draw(t, "mm")) * vg.Millimeter})
		var entries []entry
		for i := range rapid.IntRange(2, 9).Draw(t, "lines") {
			words := rapid.IntRange(1, 60).Draw(t, "words")
			entries = append(entries, entry{strconv.Itoa(i) + strings.Repeat(" threads", words), i})
		}
		l := legendOf(entries, true, s)
		rows := 0
		for i, label := range l.labels {
			for _, text := range label {
				left := vg.Length(i%l.columns)*l.columnWidth + (sampleWidth+sampleGap)*s.scale
				if right := left + s.legend.Width(text); right > s.textWidth()*1.001 {
					t.Fatalf("%q ends at %v of %v", text, right, s.textWidth())
				}
			}
			rows = max(rows, l.textLines(i/l.columns*l.columns)+len(label))
		}
		if room := l.height() / l.rowHeight(); vg.Length(rows) > room {
			t.Fatalf("%d lines of text have room for %v", rows, room)
		}
	})
}

var fontSizes = regexp.MustCompile(`font-size:([0-9.]+)`)

// No text is smaller than 7 pt, and its size does not depend on the width.
func TestTextIsReadable(t *testing.T) {
	sizes := map[vg.Length]string{}
	for _, width := range []vg.Length{85 * vg.Millimeter, 178 * vg.Millimeter} {
		f := studyFigure(t, &figure8, studyPoints(), Options{Layout: Layout{Width: width, Font: "serif"}})
		svg := must.Get(encodeAs("svg")(f))(t)
		found := map[string]bool{}
		for _, m := range fontSizes.FindAllStringSubmatch(string(svg), -1) {
			size, err := strconv.ParseFloat(m[1], 64)
			if err != nil || size < 7 {
				t.Errorf("%v wide: a text has %s pt", width, m[1])
			}
			if !found[m[1]] {
				found[m[1]] = true
				sizes[width] += m[1] + " "
			}
		}
		if !strings.Contains(string(svg), "'Liberation Serif','Times New Roman'") {
			t.Error("the font is not the chosen one")
		}
	}
	if a, b := sizes[85*vg.Millimeter], sizes[178*vg.Millimeter]; a != b || a == "" {
		t.Errorf("the sizes are %s, in a wider figure %s", a, b)
	}
}

func TestTitle(t *testing.T) {
	for want, layout := range map[string]Layout{
		"HERD, 8 B keys": {}, "mine": {Title: "mine"}, "HERD · off-path": {NoTitle: true},
	} {
		f := studyFigure(t, &figure8, studyPoints(), Options{Layout: layout})
		svg := must.Get(encodeAs("svg")(f))(t)
		if !strings.Contains(string(svg), want) {
			t.Errorf("%+v: the figure does not say %q", layout, want)
		}
	}
}
