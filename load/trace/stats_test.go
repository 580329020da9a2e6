package trace

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestStatsOfKnownTraces: the statistics are those that the generator was asked for. Those of the
// source and of the compact form are the same.
func TestStatsOfKnownTraces(t *testing.T) {
	for _, zipf := range []float64{0.6, 0.99, 1.3} {
		k := known{operations: 200_000, keys: 20_000, zipf: zipf, gets: 0.9, gap: time.Millisecond, seed: 3}
		var b strings.Builder
		once, sum := map[int]int{}, 0.0
		k.each(func(atNs int64, rank, valueBytes int, op kvs.Op) {
			fmt.Fprintf(&b, "%d,key-%d,9,%d,1,%s,60\n", atNs/1e9, rank, valueBytes, strings.ToLower(op.String()))
			once[rank]++
			sum += float64(valueBytes)
		})
		path := write(t, "x", []byte(b.String()))
		c := must.Keep(OpenCSV(t.Context(), path, nil))(t)
		s := must.Get(c.Stats())(t)
		hits, bytes := uint64(0), uint64(0)
		for rank, n := range once {
			bytes += uint64(9 + 10 + rank%90)
			if n == 1 {
				hits++
			}
		}
		if s.OneHitKeys != hits || s.WorkingSetBytes != bytes || int(s.Summary.Keys) != len(once) {
			t.Errorf("zipf %v: found %d one-hit keys and %d bytes, want %d and %d", zipf, s.OneHitKeys,
				s.WorkingSetBytes, hits, bytes)
		}
		if s.Zipf == nil || math.Abs(s.Zipf.Exponent-zipf) > 0.02 || s.Zipf.Distance > 0.02 {
			t.Errorf("zipf %v: found %+v", zipf, s.Zipf)
		}
		if math.Abs(s.GetRatio-0.9) > 0.01 || math.Abs(s.ValueBytes.Mean-sum/200_000) > 1e-6 || s.RateOps != 1000 {
			t.Errorf("zipf %v: found %+v", zipf, s)
		}
		for _, slice := range s.Slices {
			if math.Abs(slice.RateOps-1000) > 1 {
				t.Errorf("zipf %v: found the slice %+v", zipf, slice)
			}
		}
		must.Get(Convert(t.Context(), path, path+".trace", nil))(t)
		f := must.Keep(Open(path + ".trace"))(t)
		same(t, s, must.Get(f.Stats(t.Context()))(t))
	}
}

// same compares the statistics of a source with those of its compact form, whose times are spread.
func same(t *testing.T, a, b *Stats) {
	t.Helper()
	a.Summary.LastNs = b.Summary.LastNs
	if x, y := must.Get(json.Marshal(a))(t), must.Get(json.Marshal(b))(t); string(x) != string(y) {
		t.Errorf("found\n%s, of the compact form\n%s", x, y)
	}
}

// TestNoFit: too few keys, and keys that are all alike.
func TestNoFit(t *testing.T) {
	if z := fitZipf([]uint64{1000, 100, 10, 1}); z != nil {
		t.Errorf("found %+v", z)
	}
	alike := make([]uint64, 1000)
	for i := range alike {
		alike[i] = 50
	}
	if z := fitZipf(alike); z.Exponent > 0.001 || z.Distance > 0.001 || z.Share != 1 {
		t.Errorf("found %+v", z)
	}
	two := append(make([]uint64, 0, 1000), 1e15)
	for range 500 {
		two = append(two, 10)
	}
	if z := fitZipf(two); z.Exponent < 30 || math.IsNaN(z.Distance) {
		t.Errorf("found %+v", z)
	}
}

func TestRatesOverTime(t *testing.T) {
	r := rates{width: 1}
	for at := range int64(1000) {
		r.add(at)
	}
	all := r.slices(1000)
	n := uint64(0)
	for i, s := range all {
		n += s.Operations
		if math.Abs(s.RateOps-1e9) > 1 || i > 0 && s.FromNs != all[i-1].ToNs {
			t.Errorf("found %+v", s)
		}
	}
	if n != 1000 || len(all) < maxSlices/2 || len(all) > maxSlices || all[len(all)-1].ToNs != 1000 {
		t.Errorf("found %d operations in %d slices", n, len(all))
	}
}

func TestStatsOfNothing(t *testing.T) {
	c := must.Keep(OpenCSV(context.Background(), write(t, "x", []byte("5,key,3,10,1,incr,0\n")), nil))(t)
	_, err := c.Stats()
	must.Fail(t, err, "found no operation in it")
}
