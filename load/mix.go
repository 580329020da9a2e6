package load

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// golden is 2⁶⁴ over the golden ratio, which is odd. Repeated addition of it visits all words, and
// neighbours in the sequence are far apart.
const golden = 0x9e3779b97f4a7c15

// mix64 is the finalizer of SplitMix64, a bijection.
func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// mix32 is the finalizer of MurmurHash3, a bijection.
func mix32(x uint32) uint32 {
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// uniform draws from [0, n) without the bias of a remainder (D. Lemire, 2019).
func uniform(rng *rand.PCG, n uint64) uint64 {
	high, low := bits.Mul64(rng.Uint64(), n)
	if low < n {
		for threshold := -n % n; low < threshold; {
			high, low = bits.Mul64(rng.Uint64(), n)
		}
	}
	return high
}

// share64 converts a share between 0 and 1 to a share of 2⁶⁴.
func share64(share float64) uint64 {
	if share >= 1 { // the conversion of 2⁶⁴ is not defined
		return math.MaxUint64
	}
	return uint64(max(share, 0) * (1 << 64))
}
