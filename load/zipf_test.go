package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpukv/hashbench"
	"dpukv/internal/machine"
)

// chiSquare compares counts with expected ones. It returns sigmas from the mean of its
// distribution.
func chiSquare(counts []int, expected []float64) float64 {
	sum := 0.0
	for i, e := range expected {
		d := float64(counts[i]) - e
		sum += d * d / e
	}
	free := float64(len(expected) - 1)
	return (sum - free) / math.Sqrt(2*free)
}

// zipfProbabilities sums directly, smallest terms first.
func zipfProbabilities(n int, theta float64) []float64 {
	p, zeta := make([]float64, n), 0.0
	for i := n; i >= 1; i-- {
		p[i-1] = math.Pow(float64(i), -theta)
		zeta += p[i-1]
	}
	for i := range p {
		p[i] /= zeta
	}
	return p
}

// bins groups ranks so that each bin is expected often enough. Each of the first ranks has its own
// bin; later bins widen by a quarter.
func bins(n int) []int {
	var ends []int
	for end, width := 0, 1; end < n; width = max(width, end/4) {
		end = min(end+width, n)
		ends = append(ends, end)
	}
	return ends
}

func TestZipfIsExact(t *testing.T) {
	draws := 2_000_000
	if testing.Short() || machine.Emulator() != "" {
		draws /= 10
		t.Log("a short run: a tenth of the draws")
	}
	for _, n := range []int{1, 2, 3, 10, 1000, 1_000_000} {
		for _, theta := range []float64{0.01, 0.5, 0.9, 0.99, 0.999999, 1, 1.2, 2, 5} {
			t.Run(fmt.Sprintf("%d keys, %v", n, theta), func(t *testing.T) {
				ends, p := bins(n), zipfProbabilities(n, theta)
				counts, expected := make([]int, len(ends)), make([]float64, len(ends))
				binOf := make([]int, n)
				for b, from := 0, 0; b < len(ends); from, b = ends[b], b+1 {
					for i := from; i < ends[b]; i++ {
						binOf[i], expected[b] = b, expected[b]+p[i]*float64(draws)
					}
				}
				z, rng := newZipf(uint64(n), theta), rand.NewPCG(1, uint64(n))
				for range draws {
					counts[binOf[z.rank(rng)]]++
				}
				if n == 1 {
					return // all in range is all there is to show
				}
				if sigmas := chiSquare(counts, expected); sigmas > 4 {
					t.Errorf("chi-square is %.1f sigmas off over %d bins", sigmas, len(ends))
				}
			})
		}
	}
}

// TestZipfOfManyKeys covers as many keys as a machine holds. No table exists to compare with, so
// the test compares the shares of the first ranks. Their expected values take zeta(n) by Euler and
// Maclaurin.
func TestZipfOfManyKeys(t *testing.T) {
	const n, theta, draws = 100_000_000, 0.99, 1_000_000
	zeta := 0.0
	for i := 1; i < 1000; i++ {
		zeta += math.Pow(float64(i), -theta)
	}
	zeta += (math.Pow(n, 1-theta)-math.Pow(1000, 1-theta))/(1-theta) +
		(math.Pow(1000, -theta)+math.Pow(n, -theta))/2 + theta*math.Pow(1000, -theta-1)/12
	z, rng := newZipf(n, theta), rand.NewPCG(1, 2)
	counts := make([]int, 101)
	for range draws {
		counts[min(z.rank(rng), 100)]++
	}
	expected, rest := make([]float64, 101), float64(draws)
	for i := range 100 {
		expected[i] = draws * math.Pow(float64(i+1), -theta) / zeta
		rest -= expected[i]
	}
	expected[100] = rest
	if sigmas := chiSquare(counts, expected); sigmas > 4 {
		t.Errorf("chi-square is %.1f sigmas off", sigmas)
	}
}

func TestScrambleIsABijection(t *testing.T) {
	for n := uint64(1); n < 3000; n += 1 + n/50 {
		for seed := range uint64(3) {
			s, seen := newScrambler(n, seed), make([]bool, n)
			for x := range n {
				y := s.apply(x)
				if y >= n || seen[y] {
					t.Fatalf("%d keys, seed %d: %d goes to %d, which is out of range or taken", n, seed, x, y)
				}
				seen[y] = true
			}
		}
	}
}

// TestHotKeysSpread: the hottest keys of a skewed load must not share a partition.
func TestHotKeysSpread(t *testing.T) {
	const partitions = 16
	f, _ := hashbench.Lookup(hashbench.Default)
	s, key := newScrambler(1_000_000, 1), make([]byte, 8)
	var counts [partitions]int
	for rank := range uint64(64) {
		FillKey(key, s.apply(rank))
		counts[f.Sum64(key)>>48%partitions]++
	}
	for p, n := range counts {
		if n > 12 { // 4 expected
			t.Errorf("partition %d has %d of the 64 hottest keys", p, n)
		}
	}
}

var rankSink uint64

func BenchmarkZipf(b *testing.B) {
	z, rng := newZipf(100_000_000, 0.99), rand.NewPCG(1, 2)
	for b.Loop() {
		rankSink += z.rank(rng)
	}
}
