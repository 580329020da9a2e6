package load

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// zipf draws ranks from [0, n) with a probability proportional to 1/(rank+1)^theta. It is exact,
// and does not need the sum over all ranks.
//
// The ranks are cut into short steps: the first rank of a step is hardly likelier than the last. A
// draw picks a step as if all its ranks were as likely as its first, and then a rank of the step.
// The rank is kept with the ratio of its probability to the first rank's; otherwise the whole draw
// is repeated. This holds for any exponent. (The formula of Gray et al., which YCSB uses, takes the
// sum and a power for each draw. It is exact for the first two ranks only, and divides by zero at
// theta 1.)
//
// Its only state is tables of about 20 KB.
type zipf struct {
	theta float64
	steps []zipfStep
	alias []aliasCell
}

// zipfStep is a range of consecutive ranks, counted from 1.
type zipfStep struct {
	first, width uint64
	// sure is the share, of 2⁶⁴, of draws that are kept whatever their rank.
	sure uint64
}

// zipfGrowth bounds a step to one part in zipfGrowth of the ranks before it.
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

// relative returns the probability of a rank over that of the first of its step.
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
