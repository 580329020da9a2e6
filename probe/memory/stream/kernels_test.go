package stream

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKernels: every code has the bits of the kernels in Go, at every length, and writes nothing
// beside.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range append(own(), vectorLoops(), &studyLoops) {
		for _, k := range Kernels() {
			for n := range 131 {
				a, b, c := random(rng, n+2), random(rng, n+2), random(rng, n+2)
				wantA, wantB, wantC := slices.Clone(a), slices.Clone(b), slices.Clone(c)
				l.run(Kernel(k), a[1:n+1], b[1:n+1], c[1:n+1])
				goLoops.run(Kernel(k), wantA[1:n+1], wantB[1:n+1], wantC[1:n+1])
				if !slices.Equal(a, wantA) || !slices.Equal(b, wantB) || !slices.Equal(c, wantC) {
					t.Fatalf("%s of %s differs for %d elements", k, l.name, n)
				}
			}
		}
	}
}

func random(rng *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = rng.NormFloat64()
	}
	return list
}
