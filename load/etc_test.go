package load

import (
	"math"
	"testing"

	"dpukv/internal/test/must"
)

// TestETC compares the classes with the quantiles that mutilate's generators invert.
func TestETC(t *testing.T) {
	key := func(p float64) float64 {
		return 30.7984 + 8.20449*(math.Pow(-math.Log(p), -0.078688)-1)/0.078688
	}
	const small = 0.44155 // the sum of the shares of 0 to 14 bytes
	value := func(p float64) float64 {
		return 15 + 214.476*(math.Pow(1-(p-small)/(1-small), -0.348238)-1)/0.348238
	}
	for _, c := range []struct {
		of       *SizesOf
		quantile func(float64) float64
		most     int
		mean     int
	}{{&SizesOfKeys, key, etcLongestKey, 36}, {&SizesOfValues, value, 65535, 194}} {
		classes, ok := c.of.classes(etc)
		if !ok || len(classes) > maxSizeClasses || mostOf(classes) != c.most {
			t.Errorf("%s: %d classes up to %d bytes", c.of.what, len(classes), mostOf(classes))
		}
		if mean := meanOf(classes); math.Abs(mean-float64(c.mean)) > 0.6 {
			t.Errorf("%s: the mean is %v, want %v", c.of.what, mean, c.mean)
		}
		for _, p := range []float64{0.001, 0.01, 0.1, 0.2, 0.5, 0.6, 0.75, 0.9, 0.99, 0.999} {
			below, i := 0.0, 0
			for below+classes[i].weight < p*etcWhole {
				below += classes[i].weight
				i++
			}
			want := c.quantile(p)
			if c.of == &SizesOfValues && p < small {
				want = map[float64]float64{0.001: 0, 0.01: 2, 0.1: 2, 0.2: 3}[p]
			}
			if want < float64(classes[i].least)-1 || want > float64(classes[i].most)+1.01 {
				t.Errorf("%s: the quantile %v is %d-%d, want %v", c.of.what, p, classes[i].least,
					classes[i].most, want)
			}
		}
		sum := 0.0
		for i := range classes {
			sum += classes[i].weight
		}
		if math.Abs(sum/etcWhole-1) > 1e-6 {
			t.Errorf("%s: the shares' sum is %v", c.of.what, sum/etcWhole)
		}
	}
}

// TestETCIsTheSameEverywhere: a client on another machine must draw the same sizes.
func TestETCIsTheSameEverywhere(t *testing.T) {
	l, sum := usual(), uint64(0)
	must.Do(t, FieldOf("mix").Set(&l, "etc"))
	keys, values := NewKeys(&l.Workload), NewValues(&l.Workload)
	for i := range uint64(100_000) {
		sum = mix64(sum ^ uint64(len(keys.Fill(i)))<<32 ^ uint64(values.Size(i, uint32(i))))
	}
	if want := uint64(0x5d02d652be2cd0c6); sum != want {
		t.Errorf("the sizes have the digest %#x, want %#x", sum, want)
	}
}
