package sweep

import (
	"testing"

	"dpukv/results"
	"dpukv/results/compare"
	"dpukv/results/resultstest"
)

// TestDefaultSweepCanBeCompared: a default sweep compared with itself has a verdict and two
// intervals in each row.
func TestDefaultSweepCanBeCompared(t *testing.T) {
	s := Default()
	var points []results.Point
	for _, pt := range s.Points() {
		points = append(points, resultstest.Point(pt.Asked))
	}
	side := compare.Side{Name: "run", Points: points}
	c, err := compare.Compare(side, side, compare.Options{})
	if err != nil || c.Err() != nil {
		t.Fatal(err, c.Err())
	}
	if c.Tested != len(c.Rows) || len(c.Rows) != len(s.Configs())*4 {
		t.Errorf("%d of %d rows have a verdict, want all of 4 metrics and %d configurations", c.Tested, len(c.Rows),
			len(s.Configs()))
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.A.Lo == nil || r.B.Hi == nil || r.Lo == nil {
			t.Fatalf("found no interval in %+v", r)
		}
	}
}
