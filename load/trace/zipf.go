package trace

import (
	"cmp"
	"math"
	"slices"
)

// Zipf is the best fit of the keys' popularity: the key of rank R = 1, 2, … gets a share of the
// operations in proportion to 1/R^Exponent.
//
// It is the maximum of the likelihood over the most popular keys: those with ten operations or
// more. The ranks of rarer keys are chance, and keys without an operation are not seen. So neither
// changes the fit.
type Zipf struct {
	Exponent float64 `json:"exponent"`
	Keys     uint64  `json:"keys"` // that the fit is of
	// Share is the share of all operations that these keys have.
	Share float64 `json:"share"`
	// Distance is how far the fit is from the trace: the most by which the share of the keys up to
	// any rank differs, as in the test of Kolmogorov and Smirnov. 0 is perfect.
	Distance float64 `json:"distance"`
}

const (
	leastOperations = 10  // of a key that counts
	leastKeys       = 10  // for a fit
	maxExponent     = 100 // load's own limit
)

// fitZipf sorts the counts. It returns nil for too few keys.
func fitZipf(counts []uint64) *Zipf {
	slices.SortFunc(counts, func(a, b uint64) int { return cmp.Compare(b, a) })
	n, _ := slices.BinarySearchFunc(counts, uint64(leastOperations), func(c, least uint64) int {
		if c >= least {
			return -1
		}
		return 1
	})
	if n < leastKeys {
		return nil
	}
	total, sum, logs := 0.0, 0.0, 0.0
	for i, c := range counts {
		total += float64(c)
		if i < n {
			sum += float64(c)
			logs += float64(c) * math.Log(float64(i+1))
		}
	}
	// The likelihood has one maximum: where the mean of the ranks' logarithms is as expected.
	low, high := 0.0, float64(maxExponent)
	for high-low > 1e-4 {
		if mid := (low + high) / 2; meanLog(mid, n) > logs/sum {
			low = mid
		} else {
			high = mid
		}
	}
	z := &Zipf{Exponent: (low + high) / 2, Keys: uint64(n), Share: sum / total}
	z.Distance = z.distance(counts[:n], sum)
	return z
}

// exactRanks are summed one by one. Behind them the sum is an integral with a correction: the
// trapezoidal rule's error is below a millionth.
const exactRanks = 1000

// meanLog is the expected logarithm of a rank from 1 to n.
func meanLog(s float64, n int) float64 {
	weights, logs := 0.0, 0.0
	last := min(n, exactRanks)
	for i := 1; i <= last; i++ {
		x := math.Log(float64(i))
		w := math.Exp(-s * x)
		weights += w
		logs += w * x
	}
	if n > last {
		a, b := float64(last), float64(n)
		w, l := integrals(s, a, b)
		wa, wb := math.Pow(a, -s), math.Pow(b, -s)
		weights += w + (wb-wa)/2
		logs += l + (wb*math.Log(b)-wa*math.Log(a))/2
	}
	return logs / weights
}

// integrals of x^-s and of x^-s ln x from a to b.
func integrals(s, a, b float64) (weights, logs float64) {
	la, lb := math.Log(a), math.Log(b)
	k := 1 - s
	if math.Abs(k) < 1e-6 {
		return lb - la, (lb*lb - la*la) / 2
	}
	pa, pb := math.Pow(a, k), math.Pow(b, k)
	return (pb - pa) / k, (pb*(lb-1/k) - pa*(la-1/k)) / k
}

// distance compares the shares of the keys up to each rank.
func (z *Zipf) distance(counts []uint64, sum float64) (most float64) {
	expected := 0.0
	for i := range counts {
		expected += math.Pow(float64(i+1), -z.Exponent)
	}
	here, fit := 0.0, 0.0
	for i, c := range counts {
		here += float64(c) / sum
		fit += math.Pow(float64(i+1), -z.Exponent) / expected
		most = max(most, math.Abs(here-fit))
	}
	return most
}
