package figure

import (
	"testing"

	"dpukv/results"
)

func TestNoTwoOfTwelveLinesHaveTheSameGlyph(t *testing.T) {
	seen := map[any]bool{}
	s := newStyle(&Layout{})
	for style := range results.MaxOverviewLines {
		shape := s.glyph(style).Shape
		if seen[shape] {
			t.Errorf("style %d has the glyph of another", style)
		}
		seen[shape] = true
	}
}
