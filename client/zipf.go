package client

import (
	"math"
	"math/rand/v2"
)

// zipf draws ranks from [0, n) with a probability proportional to
// 1/(rank+1)^theta, by rejection-inversion (W. Hörmann and G. Derflinger, 1996):
// the continuous density x^-theta is inverted and the result rounded to a rank,
// which is then rejected with just the probability that makes the ranks exact. Setting
// it up takes no time for any n, because it needs no zeta(n, theta). The formula of Gray et al.,
// which YCSB uses, needs it, and is exact for the first two ranks only.
//
// It holds no state, so that all threads can share one.
type zipf struct {
	n        float64
	theta    float64
	low      float64 // of the area under the density that is drawn from
	high     float64
	shortcut float64 // a rank this near its point is always accepted
}

func newZipf(n uint64, theta float64) *zipf {
	z := &zipf{n: float64(n), theta: theta}
	z.low = z.area(1.5) - 1 // makes rank 0 exact
	z.high = z.area(z.n + 0.5)
	z.shortcut = 2 - z.inverse(z.area(2.5)-z.density(2))
	return z
}

func (z *zipf) rank(rng *rand.PCG) uint64 {
	for {
		area := z.low + unitFloat(rng)*(z.high-z.low)
		x := z.inverse(area)
		k := min(max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.shortcut || area >= z.area(k+0.5)-z.density(k) {
			return uint64(k) - 1
		}
	}
}

func (z *zipf) density(x float64) float64 { return math.Exp(-z.theta * math.Log(x)) }

// area is the integral of the density from 1 to x. Expm1, and Log1p below, keep their precision
// as theta nears 1.
func (z *zipf) area(x float64) float64 {
	return math.Expm1((1-z.theta)*math.Log(x)) / (1 - z.theta)
}

func (z *zipf) inverse(area float64) float64 {
	return math.Exp(math.Log1p((1-z.theta)*area) / (1 - z.theta))
}

// unitFloat is uniform over [0,1).
func unitFloat(rng *rand.PCG) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }
