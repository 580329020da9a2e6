package numfmt

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDigits3(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.000123456: "0.000123", 0.04567: "0.0457", 0.5: "0.500", 1: "1.00", 9.996: "10.0", 12.345: "12.3",
		812.4: "812", 15234: "15234",
	} {
		if got := Digits3(x); got != want {
			t.Errorf("Digits3(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 13: "13", 0.25: "0.25", 1.604: "1.6", 100: "100", 12000: "12000"} {
		if got := Short(x); got != want {
			t.Errorf("Short(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestAround(t *testing.T) {
	for want, of := range map[string][3]float64{
		"±0.50": {2, 1.75, 2.75}, "±0": {812, 812, 812}, "±150": {150, 0, 300}, "(87.0 to 1337)": {150, 87, 1337},
		"±0.0020": {0.01, 0.008, 0.012},
	} {
		if got := Around(of[0], of[1], of[2]); got != want {
			t.Errorf("Around%v = %q, want %q", of, got, want)
		}
	}
}

// TestAroundStrays: no spread is larger than its median.
func TestAroundStrays(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		median := random.ExpFloat64()
		least, most := median*random.Float64(), median*(1+2*random.ExpFloat64())
		if text := Around(median, least, most); strings.HasPrefix(text, "±") == (most-least > 2*median) {
			t.Fatalf("Around(%v, %v, %v) = %q", median, least, most, text)
		}
	}
}

func TestChange(t *testing.T) {
	for share, want := range map[float64]string{
		-0.26: "fell by 26.0 %", 1.35: "rose by 135 %", 0.0512: "rose by 5.12 %",
	} {
		if got := Change(share); got != want {
			t.Errorf("Change(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, n := range map[string]int{"1 point is": 1, "0 points are": 0, "12 345 points are": 12345} {
		if got := Count(n, "point") + " " + Are(n); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}
