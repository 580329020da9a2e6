package load

// scrambler is a bijection of [0, n) that all threads share. It moves the hottest ranks of a skewed
// distribution far from each other, so that they are not neighbours in the order of the preload. It
// maps x to (x*multiplier + offset) mod n. The multiplier has no divisor in common with n.
type scrambler struct{ n, multiplier, offset uint64 }

func newScrambler(n, seed uint64) scrambler {
	// Nothing may overflow: x*multiplier + offset < n*(multiplier+1) < 2⁶⁴.
	limit := ^uint64(0)/n - 1
	s := scrambler{n: n, multiplier: 1, offset: mix64(seed) % n}
	if n > 2 {
		// The golden section of the range leaves the largest gaps between consecutive ranks.
		s.multiplier = min(uint64(float64(n)*0.6180339887), limit)
	}
	for gcd(s.multiplier, n) != 1 {
		s.multiplier-- // 1 has no divisor in common with any n
	}
	return s
}

func (s *scrambler) apply(x uint64) uint64 { return (x*s.multiplier + s.offset) % s.n }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
