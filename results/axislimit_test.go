package results

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAxisLimit(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, c := range map[string]struct {
		values  []float64
		limit   float64
		clipped int
	}{
		"no values":              {nil, 0, 0},
		"one value":              {[]float64{7}, 7, 0},
		"too few for a bulk":     {[]float64{1, 1, 1, 1, 1, 1, 900}, 900, 0},
		"one outlier of eight":   {[]float64{1, 2, 3, 900, 4, 5, 6, 7}, 7, 1},
		"four times is none":     {[]float64{1, 2, 3, 4, 5, 6, 7, 28}, 28, 0},
		"above four times":       {[]float64{1, 2, 3, 4, 5, 6, 7, 28.1}, 7, 1},
		"two of eight are bulk":  {[]float64{1, 2, 3, 4, 5, 6, 800, 900}, 900, 0},
		"a rising curve":         {[]float64{10, 20, 40, 80, 160, 320, 640, 1280}, 1280, 0},
		"a bulk of zeros":        {[]float64{0, 0, 0, 0, 0, 0, 0, 5}, 5, 0},
		"neither NaN nor Inf":    {[]float64{1, 2, nan, 3, 4, 5, 6, 7, 8, inf, 99}, 8, 1},
		"a limit above the bulk": {append(slices.Repeat([]float64{1}, 18), 3, 90), 3, 1},
		"two of twenty":          {append(slices.Repeat([]float64{1}, 18), 50, 90), 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			limit, clipped := AxisLimit(c.values)
			if limit != c.limit || clipped != c.clipped {
				t.Errorf("got %v and %d clipped, want %v and %d", limit, clipped, c.limit, c.clipped)
			}
		})
	}
}

// The limit is a value, at most a tenth of the values exceeds it, and the unit does not matter.
func TestAxisLimitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 60).Draw(t, "values")
		before := slices.Clone(values)
		limit, clipped := AxisLimit(values)
		if !slices.Equal(values, before) || !slices.Contains(values, limit) {
			t.Fatalf("limit %v of %v", limit, values)
		}
		above := 0
		for i, v := range values {
			values[i] = v * 1024 // exact
			if v > limit {
				above++
			}
		}
		if above != clipped || clipped > max(1, len(values)/10) {
			t.Fatalf("%d above the limit, %d clipped", above, clipped)
		}
		if scaled, n := AxisLimit(values); scaled != limit*1024 || n != clipped {
			t.Fatalf("limit %v, of 1024 times the values %v", limit, scaled)
		}
	})
}
