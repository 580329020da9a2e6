package subject

import "testing"

// TestPlants: parts of loops add up, and each figure has its own.
func TestPlants(t *testing.T) {
	list := parsePlants("0.25,3")
	for range 8 {
		list[0].spin(2)
		list[1].spin(2)
	}
	if a, b := list[0].spun, list[1].spun; a != Loop(4, 0) || b != Loop(48, 0) {
		t.Errorf("found the ends %d and %d of loops, want those of 4 and 48", a, b)
	}
	if parsePlants("") != nil {
		t.Error("an empty text plants something")
	}
}
