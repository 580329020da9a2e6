package sample

import (
	"math"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{5}, 5}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}, {[]float64{9, 1, 2, 4}, 3}} {
		given := slices.Clone(c.values)
		if got := Median(c.values); got != c.want || !slices.Equal(given, c.values) {
			t.Errorf("of %v: found %v, want %v, with %v left", given, got, c.want, c.values)
		}
	}
}

// TestCenter: known order statistics. Of six values, all are within; of 20, the sixth and the
// fifteenth are the ends (Conover, Practical Nonparametric Statistics, table A3).
func TestCenter(t *testing.T) {
	for n, leftOut := range map[int]int{6: 0, 8: 0, 9: 1, 10: 1, 15: 3, 20: 5, 25: 7, 50: 17, 100: 39, 1000: 468} {
		var values []float64
		for i := range n {
			values = append(values, float64(n-i))
		}
		low, high := float64(1+leftOut), float64(n-leftOut)
		if got, want := Center(values), (Interval{float64(n+1) / 2, low, high, false}); got != want {
			t.Errorf("of %d values: found %+v, want %+v", n, got, want)
		}
	}
	if got, want := Center([]float64{4, 2}), (Interval{3, 2, 4, true}); got != want {
		t.Errorf("of two values: found %+v, want %+v", got, want)
	}
}

// TestSignsAreThoseOfTheBinomial: the sum over all numbers of heads while 2^-n is a float, and the
// normal distribution beyond. 1,080 tosses never ended.
func TestSignsAreThoseOfTheBinomial(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		want, ways := 0, math.Exp2(-float64(n))
		for below := ways; below <= (1-Confidence)/2; want++ {
			ways *= float64(n-want) / float64(want+1)
			below += ways
		}
		if got := signs(n); got != want {
			t.Errorf("%d values: found %d, want %d", n, got, want)
		}
	}
	for _, n := range []int{1001, 1074, 1075, 1080, 4000, 1e5, 1e6} {
		want := float64(n)/2 - 1.959964*math.Sqrt(float64(n))/2
		if got := signs(n); math.Abs(float64(got)-want) > 1 {
			t.Errorf("%d values: found %d, want about %.1f", n, got, want)
		}
	}
}
