package numfmt

import (
	"testing"
)

func TestDigits3(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.000123456: "0.000123", 0.04567: "0.0457", 0.5: "0.500", 1: "1.00", 9.996: "10.00", 12.345: "12.3",
		812.4: "812", 15234: "15234",
	} {
		if got := Digits3(x); got != want {
			t.Errorf("Digits3(%v) = %s, want %s", x, got, want)
		}
	}
}
