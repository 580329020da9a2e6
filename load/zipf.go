package load

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// zipf draws ranks from [0, n) with a probability proportional to 1/(rank+1)^theta, exactly
// and without the sum of them all: the ranks are cut into steps, short enough that the
// first of a step is hardly likelier than the last. A step is drawn as if all its ranks were
// as likely as its first, then a rank of it, which is kept with just the probability
// that it is less likely by; else all is drawn again. (The formula of Gray et al., which YCSB uses, takes the
// sum and a power for each draw, and is exact for the first two ranks only.)
//
// It holds no state but tables of about 20 KB.
type zipf struct {
	theta float64
	steps []zipfStep
	alias []aliasCell
}

// zipfStep is a row of ranks, counted from 1.
type zipfStep struct {
	first, width uint64
	// sure is the share, of 2⁶⁴, of draws that are kept whichever rank they are of.
	sure uint64
}

// zipfGrowth is the part that a step adds to the ranks before it.
const zipfGrowth = 32

func newZipf(n uint64, theta float64) *zipf {
	z := &zipf{theta: theta}
	var weights []float64
	for first := uint64(1); first <= n; {
		width := min(max(first/zipfGrowth, 1), n-first+1)
		step := zipfStep{first: first, width: width, sure: math.MaxUint64}
		if width > 1 {
			step.sure = share64(z.relative(first, first+width-1))
		}
		z.steps = append(z.steps, step)
		weights = append(weights, float64(width)*math.Pow(float64(first), -theta))
		first += width
	}
	z.alias = newAlias(weights)
	return z
}

// relative is the probability of a rank over that of the first of its step.
func (z *zipf) relative(first, rank uint64) float64 {
	return math.Pow(float64(first)/float64(rank), z.theta)
}

func (z *zipf) rank(rng *rand.PCG) uint64 {
	for {
		step := &z.steps[drawAlias(z.alias, rng)]
		at, fraction := bits.Mul64(rng.Uint64(), step.width)
		rank := step.first + at
		if fraction <= step.sure || float64(fraction) < z.relative(step.first, rank)*(1<<64) {
			return rank - 1
		}
	}
}
