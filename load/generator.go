package load

import "math/rand/v2"

// Generator makes one thread's sequence of operations. The workload, the thread's number and the
// number of all threads decide the sequence.
//
// These are the distributions of keys. A popular key is not a neighbour of the next popular one in
// the order of the preload, except with latest and sequential:
//
//   - uniform: every key is equally likely.
//   - zipf:T: the key of rank R = 1, 2, … has a probability proportional to 1/R^T.
//   - hotspot:K:O: a share K of the keys gets a share O of the operations. Within either part, all
//     keys are equally likely.
//   - gaussian:M:S: the ranks are normally distributed around the share M of the keys, with the
//     standard deviation S. Draws beyond the first or the last rank are repeated.
//   - latest:T: each thread has its own range of keys. Its SETs write them in turn. Its GETs ask
//     for the key of rank R among its latest SETs, and R follows zipf:T. The preload counts as
//     SETs. In YCSB inserts make new keys; here a SET makes an old key the newest. Without SETs,
//     the newest key remains the same.
//   - sequential: each thread asks for the keys of its own range in turn, and begins again at the
//     end.
type Generator struct {
	rng      rand.PCG
	getBelow uint64 // of 2⁵³: the share of GETs
	// writeBelow is of 2⁵³ the share of GETs that a SET of the same key follows.
	writeBelow uint64
	kind       distKind
	keys       uint64
	zipf       *zipf
	gauss      *gauss
	hot        uint64 // keys of the hot spot
	hotBelow   uint64 // of 2⁵³: its share of the operations
	walk       walk
	scramble   scrambler
}

// NewGenerator makes the generator of one of several threads.
func NewGenerator(w *Workload, thread, threads int) Generator {
	kind, x, _ := splitDist(string(w.Dist))
	g := Generator{
		rng:      *rand.NewPCG(w.Seed, mix64(uint64(thread)+golden)),
		getBelow: uint64(w.GetRatio * (1 << 53)),
		kind:     kind, keys: uint64(w.Keys),
	}
	if w.SetAfter == SetAfterGet {
		g.writeBelow = uint64((1 - w.GetRatio) / w.GetRatio * (1 << 53))
	}
	if w.Keys == 1 { // each distribution is the same
		g.kind = uniformKeys
	}
	switch g.kind {
	case zipfKeys:
		g.zipf = newZipf(g.keys, x[0])
	case hotspotKeys:
		g.hot = min(max(uint64(x[0]*float64(g.keys)+0.5), 1), g.keys-1)
		g.hotBelow = uint64(x[1] * (1 << 53))
	case gaussianKeys:
		// The stream differs from those of the generators and of the gaps.
		rng := rand.NewPCG(mix64(^w.Seed), mix64(^uint64(thread)))
		g.gauss = newGauss(rng, g.keys, x[0], x[1])
	case latestKeys:
		g.walk = newWalk(g.keys, thread, threads)
		g.walk.at = g.walk.keys - 1 // the preload's last
		g.zipf = newZipf(g.walk.keys, x[0])
	case sequentialKeys:
		g.walk = newWalk(g.keys, thread, threads)
		g.walk.at = g.walk.keys - 1 // the first step leads to the first key
	case uniformKeys:
	}
	g.scramble = newScrambler(g.keys, w.Seed)
	return g
}

// Next draws a key and its operation: a GET if get is true, else a SET.
func (g *Generator) Next() (key uint64, get bool) {
	switch g.kind {
	case uniformKeys:
		key = uniform(&g.rng, g.keys)
	case zipfKeys:
		key = g.scramble.apply(g.zipf.rank(&g.rng))
	case hotspotKeys:
		key = g.scramble.apply(g.hotspot())
	case gaussianKeys:
		key = g.scramble.apply(g.gauss.rank())
	case sequentialKeys:
		key = g.walk.step()
	case latestKeys:
		get = g.drawGet()
		return g.latest(get), get
	}
	return key, g.drawGet()
}

// NextRead draws a key for a GET, and whether a SET of the key follows: for so many that SETs have
// their share of all operations. The distribution is not latest.
func (g *Generator) NextRead() (key uint64, write bool) {
	key, _ = g.Next()
	return key, g.rng.Uint64()>>11 < g.writeBelow
}

func (g *Generator) drawGet() bool { return g.rng.Uint64()>>11 < g.getBelow }

func (g *Generator) hotspot() (rank uint64) {
	if g.rng.Uint64()>>11 < g.hotBelow {
		return uniform(&g.rng, g.hot)
	}
	return g.hot + uniform(&g.rng, g.keys-g.hot)
}

func (g *Generator) latest(get bool) (key uint64) {
	if get {
		return g.walk.back(g.zipf.rank(&g.rng))
	}
	return g.walk.step()
}
