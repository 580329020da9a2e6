package load

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// drawn counts how often each key is drawn, over all threads.
func drawn(w *Workload, threads, draws int) []int {
	counts := make([]int, w.Keys)
	for thread := range threads {
		g := NewGenerator(w, thread, threads)
		for range draws / threads {
			key, _ := g.Next()
			counts[key]++
		}
	}
	return counts
}

// byRank orders counts of scrambled keys by the rank that each key has.
func byRank(counts []int, seed uint64) []int {
	s, ranked := newScrambler(uint64(len(counts)), seed), make([]int, len(counts))
	for rank := range ranked {
		ranked[rank] = counts[s.apply(uint64(rank))]
	}
	return ranked
}

func TestZipfBeyondOneThroughTheGenerator(t *testing.T) {
	const keys, draws = 2000, 1_000_000
	for _, theta := range []float64{1, 1.3, 3} {
		w := &Workload{Keys: keys, Dist: Zipf(theta), Seed: 3}
		counts, p := byRank(drawn(w, 1, draws), w.Seed), zipfProbabilities(keys, theta)
		follows(t, w.Dist, counts, p, draws)
	}
}

// follows fails unless the ranks were drawn with these probabilities. It joins ranks to bins with at
// least ten expected draws.
func follows(t *testing.T, dist Dist, counts []int, p []float64, draws int) {
	t.Helper()
	found, expected := []int{0}, []float64{0}
	for i := range p {
		if expected[len(expected)-1] >= 10 {
			found, expected = append(found, 0), append(expected, 0)
		}
		found[len(found)-1] += counts[i]
		expected[len(expected)-1] += p[i] * float64(draws)
	}
	if n := len(expected); n > 1 && expected[n-1] < 10 {
		found[n-2], expected[n-2] = found[n-2]+found[n-1], expected[n-2]+expected[n-1]
		found, expected = found[:n-1], expected[:n-1]
	}
	if sigmas := chiSquare(found, expected); sigmas > 4 {
		t.Errorf("%s: chi-square is %.1f sigmas off over %d bins", dist, sigmas, len(found))
	}
}

func TestHotspot(t *testing.T) {
	const draws = 1_000_000
	for _, c := range []struct {
		dist Dist
		keys int
		hot  int
		ops  float64
	}{
		{"hotspot:0.2:0.8", 1000, 200, 0.8},
		{"hotspot:0.001:0.5", 1000, 1, 0.5},
		{"hotspot:0.0001:0.9", 1000, 1, 0.9}, // at least one key is hot
		{"hotspot:0.9999:0.25", 1000, 999, 0.25},
		{"hotspot:0.5:1", 10, 5, 1},
		{"hotspot:0.5:0", 10, 5, 0},
	} {
		w := &Workload{Keys: c.keys, Dist: c.dist, Seed: 5}
		counts, p := byRank(drawn(w, 1, draws), w.Seed), make([]float64, c.keys)
		for i := range p {
			p[i] = (1 - c.ops) / float64(c.keys-c.hot)
			if i < c.hot {
				p[i] = c.ops / float64(c.hot)
			}
		}
		for i, n := range counts {
			if p[i] == 0 && n > 0 {
				t.Fatalf("%s: rank %d was drawn", c.dist, i)
			}
		}
		follows(t, w.Dist, counts, p, draws)
	}
}

func TestGaussian(t *testing.T) {
	const keys, draws = 1000, 1_000_000
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, c := range [][2]float64{{0.5, 0.1667}, {0, 1}, {1, 0.01}, {0.25, 0.05}} {
		w := &Workload{Keys: keys, Dist: Dist(fmt.Sprintf("gaussian:%v:%v", c[0], c[1])), Seed: 9}
		counts, p := byRank(drawn(w, 1, draws), w.Seed), make([]float64, keys)
		within := normal((1-c[0])/c[1]) - normal(-c[0]/c[1])
		for i := range p {
			low, high := float64(i)/keys, float64(i+1)/keys
			p[i] = (normal((high-c[0])/c[1]) - normal((low-c[0])/c[1])) / within
		}
		follows(t, w.Dist, counts, p, draws)
	}
}

// TestRangesOfThreads: the ranges of all threads are all keys, each once, of almost equal sizes.
func TestRangesOfThreads(t *testing.T) {
	for _, keys := range []uint64{1, 2, 7, 1000, maxKeys} {
		for _, threads := range []int{1, 2, 3, 7, 1024} {
			next := uint64(0)
			for thread := range threads {
				w := newWalk(keys, thread, threads)
				if w.first+w.keys > keys || w.keys == 0 {
					t.Fatalf("%d keys, thread %d of %d: %+v", keys, thread, threads, w)
				}
				if keys < uint64(threads) {
					continue // some keys have several threads
				}
				if w.first != next || w.keys > keys/uint64(threads)+1 {
					t.Fatalf("%d keys, thread %d of %d: %+v, want it from %d on", keys, thread,
						threads, w, next)
				}
				next += w.keys
			}
			if keys >= uint64(threads) && next != keys {
				t.Errorf("%d keys, %d threads: the ranges end at %d", keys, threads, next)
			}
		}
	}
}

func TestSequential(t *testing.T) {
	w := &Workload{Keys: 10, Dist: Sequential, GetRatio: 0.5}
	for thread, want := range [][]uint64{{0, 1, 2, 0, 1}, {3, 4, 5, 3}, {6, 7, 8, 9, 6}} {
		g := NewGenerator(w, thread, 3)
		for i, key := range want {
			if got, _ := g.Next(); got != key {
				t.Errorf("operation %d of thread %d asks for key %d, want %d", i, thread, got, key)
			}
		}
	}
	for key, n := range drawn(w, 1, 1000) {
		if n != 100 {
			t.Errorf("key %d was asked for %d times of 1000", key, n)
		}
	}
}

// TestLatest compares each GET with the SETs before it.
func TestLatest(t *testing.T) {
	const keys, draws, theta = 400, 1_000_000, 0.99
	w := &Workload{Keys: 2 * keys, Dist: "latest:0.99", GetRatio: 0.7, Seed: 2}
	g := NewGenerator(w, 1, 2)
	newest := make([]uint64, keys) // newest first
	for i := range newest {
		newest[i] = 2*keys - 1 - uint64(i) // the preload
	}
	counts, gets := make([]int, keys), 0
	for range draws {
		key, get := g.Next()
		at := slices.Index(newest, key)
		if at < 0 {
			t.Fatalf("key %d is not in the range of the thread", key)
		}
		if get {
			counts[at]++
			gets++
			continue
		}
		if at != keys-1 {
			t.Fatalf("a SET wrote the key of rank %d, not the oldest", at)
		}
		copy(newest[1:], newest[:keys-1])
		newest[0] = key
	}
	p := zipfProbabilities(keys, theta)
	follows(t, w.Dist, counts, p, gets)
	if sigmas := math.Abs(float64(gets)-draws*0.7) / math.Sqrt(draws*0.7*0.3); sigmas > 4 {
		t.Errorf("%d GETs of %d are %.1f sigmas off 70 %%", gets, draws, sigmas)
	}
}

var distributions = []Dist{
	Uniform, Zipf(0.99), Zipf(1), Zipf(1.5), "hotspot:0.2:0.8", "gaussian:0.5:0.1667", "latest:0.99",
	Sequential,
}

// TestOneKey: each distribution of a single key is that key.
func TestOneKey(t *testing.T) {
	for _, dist := range distributions {
		g := NewGenerator(&Workload{Keys: 1, Dist: dist, GetRatio: 0.5}, 2, 3)
		for range 100 {
			if key, _ := g.Next(); key != 0 {
				t.Fatalf("%s: drew key %d of one", dist, key)
			}
		}
	}
}

func TestDrawsAllocateNothing(t *testing.T) {
	for _, dist := range distributions {
		g := NewGenerator(&Workload{Keys: 1 << 20, Dist: dist, GetRatio: 0.5}, 0, 1)
		if n := testing.AllocsPerRun(1000, func() { rankSink, _ = g.Next() }); n != 0 {
			t.Errorf("%s: %v allocations a draw", dist, n)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, dist := range distributions {
		b.Run(string(dist), func(b *testing.B) {
			g := NewGenerator(&Workload{Keys: 10_000_000, Dist: dist, GetRatio: 0.95, Seed: 1}, 0, 1)
			b.ReportAllocs()
			for b.Loop() {
				rankSink, _ = g.Next()
			}
		})
	}
}
