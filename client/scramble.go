package client

import "math/bits"

// scrambler is a bijection of [0, n) that puts the hottest ranks of a skewed
// distribution on keys that have nothing to do with each other, and that every thread shares.
//
// It permutes the words of just as many bits as n takes by steps that can
// each be undone, and walks on from a word beyond n until it is back in range, which takes less
// than one more step on average.
type scrambler struct {
	n, mask    uint64
	multiplier uint64 // odd
	offset     uint64
	shift      uint
}

func newScrambler(n, seed uint64) scrambler {
	width := bits.Len64(n - 1)
	return scrambler{
		n:          n,
		mask:       1<<width - 1,
		multiplier: mix64(seed) | 1,
		offset:     mix64(seed + golden),
		shift:      uint(width+1) / 2,
	}
}

func (s *scrambler) apply(x uint64) uint64 {
	for {
		x = (x*s.multiplier + s.offset) & s.mask
		x ^= x >> s.shift
		x = x * golden & s.mask // odd, so that it can be undone too
		x ^= x >> s.shift
		if x < s.n {
			return x
		}
	}
}
