package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// linearTicks marks an axis at multiples of 1, 2 or 5 times a power of ten.
type linearTicks struct{ most int }

func (t linearTicks) Ticks(lo, hi float64) []plot.Tick {
	step := roundStep((hi - lo) / float64(t.most))
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi*(1+1e-9); i++ {
		value := i*step + 0 // -0 becomes 0
		label := strconv.FormatFloat(value, 'f', decimals, 64)
		ticks = append(ticks, plot.Tick{Value: value, Label: label})
	}
	return ticks
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is not below x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// logTicks marks an axis at every digit times a power of ten, and labels as many of them as fit.
type logTicks struct{}

func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	labelled := map[int]bool{1: true}
	switch decades := math.Log10(hi / lo); {
	case decades < 1:
		labelled = map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 8: true}
	case decades < 2.5:
		labelled = map[int]bool{1: true, 2: true, 5: true}
	}
	var ticks []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(lo))); power <= hi; power *= 10 {
		for digit := 1; digit <= 9; digit++ {
			t := plot.Tick{Value: float64(digit) * power}
			if t.Value < lo || t.Value > hi {
				continue
			}
			if labelled[digit] {
				t.Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
