package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestPlacedNumbersCoverNothing(t *testing.T) {
	coordinate := func(t *rapid.T, name string) vg.Length { return vg.Length(rapid.Float64Range(0, 300).Draw(t, name)) }
	rapid.Check(t, func(t *rapid.T) {
		var taken []vg.Rectangle
		for range rapid.IntRange(0, 20).Draw(t, "obstacles") {
			taken = append(taken, around(vg.Point{X: coordinate(t, "x"), Y: coordinate(t, "y")}, 8))
		}
		page := vg.Rectangle{Max: vg.Point{X: 300, Y: 300}}
		box, free := place(vg.Point{X: coordinate(t, "x"), Y: coordinate(t, "y")}, vg.Point{X: 12, Y: 8}, page, taken)
		if free && (hits(box, taken) || !inside(box, page)) {
			t.Fatalf("placed at %v", box)
		}
	})
}
