package load

import "math/rand/v2"

// gauss draws ranks from [0, n) that are normally distributed. A draw beyond the ends is repeated.
type gauss struct {
	rng       *rand.Rand
	mean, dev float64 // in ranks
	ranks     float64
}

// newGauss makes the distribution whose mean and deviation are shares of all n ranks.
func newGauss(rng *rand.PCG, n uint64, mean, dev float64) *gauss {
	ranks := float64(n)
	return &gauss{rng: rand.New(rng), mean: mean * ranks, dev: dev * ranks, ranks: ranks}
}

func (g *gauss) rank() uint64 {
	for {
		if x := g.mean + g.dev*g.rng.NormFloat64(); x >= 0 && x < g.ranks {
			return uint64(x)
		}
	}
}
