package load

import (
	"fmt"
	"math"
	"testing"
)

func TestUniformKeys(t *testing.T) {
	const keys, draws = 1000, 1_000_000
	g := NewGenerator(&Workload{Keys: keys, KeyBytes: 8, ValueBytes: 8, GetRatio: 0.95, Seed: 7}, 0, 1)
	counts, expected, gets := make([]int, keys), make([]float64, keys), 0
	for range draws {
		key, get := g.Next()
		counts[key]++
		if get {
			gets++
		}
	}
	for i := range expected {
		expected[i] = draws / keys
	}
	if sigmas := chiSquare(counts, expected); sigmas > 4 {
		t.Errorf("chi-square of the keys is %.1f sigmas off", sigmas)
	}
	if sigmas := math.Abs(float64(gets)-draws*0.95) / math.Sqrt(draws*0.95*0.05); sigmas > 4 {
		t.Errorf("%d GETs of %d are %.1f sigmas off 95 %%", gets, draws, sigmas)
	}
}

func TestGetRatioEnds(t *testing.T) {
	for _, ratio := range []float64{0, 1} {
		g := NewGenerator(&Workload{Keys: 10, GetRatio: ratio}, 0, 1)
		for range 10000 {
			if _, get := g.Next(); get != (ratio == 1) {
				t.Fatalf("get is %v at a ratio of %v", get, ratio)
			}
		}
	}
}

func TestSequences(t *testing.T) {
	sequence := func(seed uint64, thread int, dist Dist) (keys [100]uint64) {
		g := NewGenerator(&Workload{Keys: 1 << 40, GetRatio: 0.5, Seed: seed, Dist: dist}, thread, 4)
		for i := range keys {
			keys[i], _ = g.Next()
		}
		return keys
	}
	for _, dist := range []Dist{Uniform, Zipf(0.99), Zipf(1.5), "hotspot:0.2:0.8", "gaussian:0.5:0.1"} {
		if first, again := sequence(1, 2, dist), sequence(1, 2, dist); first != again {
			t.Errorf("%v: the same seed and thread gave another sequence", dist)
		}
		if sequence(1, 2, dist) == sequence(1, 3, dist) || sequence(1, 2, dist) == sequence(2, 2, dist) {
			t.Errorf("%v: another thread or seed gave the same sequence", dist)
		}
	}
}

// ExampleGenerator makes operations, their keys and their values.
func ExampleGenerator() {
	w := Workload{Keys: 1000, KeyBytes: 8, ValueBytes: 16, GetRatio: 0.5, Dist: Zipf(0.99)}
	g := NewGenerator(&w, 0, 1)
	key, value := make([]byte, w.KeyBytes), make([]byte, w.ValueBytes)
	index, _ := g.Next()
	FillKey(key, index)
	FillValue(value, index, 7)
	fmt.Println(index < 1000, CheckValue(value, index, w.ValueBytes), ValueVersion(value))
	// Output: true true 7
}
