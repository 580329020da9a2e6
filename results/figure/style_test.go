package figure

import (
	"testing"

	"dpukv/results"
)

func TestNoTwoOfTwelveLinesHaveTheSameGlyph(t *testing.T) {
	seen := map[any]bool{}
	for style := range results.MaxOverviewLines {
		shape := glyphStyle(style).Shape
		if seen[shape] {
			t.Errorf("style %d has the glyph of another", style)
		}
		seen[shape] = true
	}
}
