package load

import "math/rand/v2"

// Generator makes one thread's sequence of operations. The workload and the thread's number decide
// the sequence.
type Generator struct {
	rng      rand.PCG
	keys     uint64
	getBelow uint64 // of 2⁵³: the share of GETs
	zipf     *zipf  // nil: uniform
	scramble scrambler
}

// NewGenerator makes the generator of a thread.
func NewGenerator(w *Workload, thread int) Generator {
	g := Generator{
		rng:      *rand.NewPCG(w.Seed, mix64(uint64(thread)+golden)),
		keys:     uint64(w.Keys),
		getBelow: uint64(w.GetRatio * (1 << 53)),
	}
	if w.Dist.Theta() > 0 && w.Keys > 1 {
		g.zipf = newZipf(g.keys, w.Dist.Theta())
		g.scramble = newScrambler(g.keys, w.Seed)
	}
	return g
}

// Next draws a key and its operation: a GET if get is true, else a SET.
func (g *Generator) Next() (key uint64, get bool) {
	if g.zipf == nil {
		key = uniform(&g.rng, g.keys)
	} else {
		key = g.scramble.apply(g.zipf.rank(&g.rng))
	}
	return key, g.rng.Uint64()>>11 < g.getBelow
}
