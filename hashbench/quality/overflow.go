package quality

import (
	"math"
	"math/rand/v2"

	"dpukv/hashbench"
)

// SlotsPerBucket is the number of slots in a bucket of MICA.
const SlotsPerBucket = 7

// Loads are the displayed loads: keys over slots.
func Loads() []float64 { return []float64{0.5, 0.75, 1, 1.25, 1.5} }

// Overflow is the share of buckets with more keys than slots. The number of keys is load times the
// number of all slots.
func Overflow(
	f hashbench.Func, keys Keys, keyBytes, buckets int, load float64, seed uint64,
) float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	counts := make([]uint32, buckets)
	key := make([]byte, keyBytes)
	for i := range int(load * float64(buckets*SlotsPerBucket)) {
		keys.fill(key, uint64(i), rng)
		counts[bucketOf(f.Sum64(key), buckets)]++
	}
	over := 0
	for _, n := range counts {
		if n > SlotsPerBucket {
			over++
		}
	}
	return float64(over) / float64(buckets)
}

// bucketOf is the store's own rule: bits 16 to 47, scaled.
func bucketOf(hash uint64, buckets int) int {
	return int(uint64(uint32(hash>>16)) * uint64(buckets) >> 32)
}

// Expected is the share for a random function: P(Poisson(7 load) > 7).
func Expected(load float64) float64 {
	lambda := load * SlotsPerBucket
	term, below := math.Exp(-lambda), 0.0
	for k := 0; k <= SlotsPerBucket; k++ {
		below += term
		term *= lambda / float64(k+1)
	}
	return 1 - below
}

// deviation is the standard deviation of a random function's share of overflowing buckets.
func deviation(share float64, buckets int) float64 {
	return math.Sqrt(share * (1 - share) / float64(buckets))
}
