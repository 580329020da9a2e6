package stream

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKernels: every code has the bits of the kernels in Go, at every length, and writes nothing
// beside.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range own() {
		for _, k := range Kernels() {
			for n := range 131 {
				from := rng.IntN(9) // a line has eight elements
				to := from + n
				a, b, c := random(rng, to+1), random(rng, to+1), random(rng, to+1)
				wantA, wantB, wantC := slices.Clone(a), slices.Clone(b), slices.Clone(c)
				l.run(Kernel(k), a[from:to], b[from:to], c[from:to])
				goLoops.run(Kernel(k), wantA[from:to], wantB[from:to], wantC[from:to])
				if !same(a, wantA) || !same(b, wantB) || !same(c, wantC) {
					t.Fatalf("%s of %s differs for %d elements", k, l.name, n)
				}
			}
		}
	}
}

// same compares bits: two zeros differ, and a NaN is itself.
func same(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// random returns numbers among which some are special.
func random(rng *rand.Rand, n int) []float64 {
	special := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64,
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = rng.NormFloat64()
		if at := rng.IntN(8 * len(special)); at < len(special) {
			list[i] = special[at]
		}
	}
	return list
}

// BenchmarkKernels has arrays that lie in L1: what the code itself takes.
func BenchmarkKernels(b *testing.B) {
	const n = 1 << 9
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, l := range own() {
		for _, k := range Kernels() {
			b.Run(l.name+"/"+k, func(b *testing.B) {
				b.SetBytes(int64(n * Kernel(k).elementBytes()))
				for b.Loop() {
					l.run(Kernel(k), x, y, z)
				}
			})
		}
	}
}
