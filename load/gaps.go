package load

import (
	"math"
	"math/rand/v2"
)

// Gaps draws the gaps between the batches of one thread that arrive independently of each other.
// The gaps are exponentially distributed with a mean of 1. The workload's seed and the thread's
// number decide the sequence.
type Gaps struct{ rng rand.PCG }

// NewGaps starts the sequence of a thread.
func NewGaps(w *Workload, thread int) Gaps {
	// The streams differ from those of the generators. Otherwise both would draw the same numbers.
	return Gaps{*rand.NewPCG(mix64(w.Seed+golden), mix64(^uint64(thread)))}
}

// Next draws a gap. It is finite.
func (g *Gaps) Next() float64 {
	above := float64(g.rng.Uint64()>>11+1) / (1 << 53) // in (0, 1]
	return -math.Log(above)
}
