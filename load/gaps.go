package load

import (
	"math"
	"math/rand/v2"
)

// Gaps draws the gaps between the batches of one thread, with a mean of 1, each independent of the
// others: of [Poisson] arrivals from an exponential distribution, of [Bursts] from a generalized
// Pareto one. The workload's seed and the thread's number decide the sequence.
type Gaps struct {
	rng    rand.PCG
	bursts bool
}

// NewGaps starts the sequence of a thread.
func NewGaps(seed uint64, arrivals string, thread int) Gaps {
	// The streams differ from those of the generators. Otherwise both would draw the same numbers.
	return Gaps{*rand.NewPCG(mix64(seed+golden), mix64(^uint64(thread))), arrivals == Bursts}
}

// etcGapShape is that of the gaps between ETC's requests, as mutilate has it (fb_ia). Its scale
// follows from the mean.
const etcGapShape = 0.154971

// Next draws a gap. It is finite.
func (g *Gaps) Next() float64 {
	above := float64(g.rng.Uint64()>>11+1) / (1 << 53) // in (0, 1]
	if g.bursts {
		return (1 - etcGapShape) / etcGapShape * (math.Pow(above, -etcGapShape) - 1)
	}
	return -math.Log(above)
}
