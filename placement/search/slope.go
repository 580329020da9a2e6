package search

import (
	"math"
	"slices"
)

// logistic is the probability to be within as a function of the rate. It falls from 3/4 to 1/4 over
// width, around middle. Both are logarithms of the rate.
type logistic struct{ middle, width float64 }

func (l logistic) within(rate float64) float64 {
	return 1 / (1 + math.Pow(9, (math.Log(rate)-l.middle)/l.width))
}

// slope returns over which part of the rate the probability to be within falls from 3/4 to 1/4. Of
// all widths, half of the likelihood is below the returned one: the likeliest curve is too steep,
// as the search ends where verdicts differ. There is no trial in the gap, so the slope is not less.
func (t tally) slope(lo, hi float64) float64 {
	if lo == 0 || hi == 0 {
		return 0
	}
	const least, step = 1e-3, 1.15
	var widths, below []float64
	sum := 0.0
	for width := least; width < 1; width *= step {
		sum += math.Exp(t.likelihood(t.fit(width)))
		widths, below = append(widths, width), append(below, sum)
	}
	half, _ := slices.BinarySearch(below, sum/2)
	return max(widths[half], hi/lo-1)
}

// fit returns the likeliest curve of a width: it expects as many trials within as there are.
func (t tally) fit(width float64) logistic {
	rates := t.rates()
	low, high := math.Log(rates[0])-1, math.Log(rates[len(rates)-1])+1
	for high-low > 1e-3*width {
		l, missing := logistic{(low + high) / 2, width}, 0.0
		for rate, c := range t {
			missing += float64(c.within) - float64(c.trials)*l.within(rate)
		}
		if missing > 0 {
			low = l.middle
		} else {
			high = l.middle
		}
	}
	return logistic{(low + high) / 2, width}
}

// likelihood returns the logarithm of the probability of all trials.
func (t tally) likelihood(l logistic) (sum float64) {
	const least = 1e-12 // keeps the logarithm finite
	for rate, c := range t {
		p := min(max(l.within(rate), least), 1-least)
		sum += float64(c.within)*math.Log(p) + float64(c.trials-c.within)*math.Log(1-p)
	}
	return sum
}
