package measure

import (
	"testing"

	"dpukv/hashbench/result"
)

// Of chains that take 3 ns and 0.5 ns a multiplication, the loop costs 3 ns, and nothing is left over; of a middle chain that
// is 1 ns off the line, that 1 ns is.
func TestLoopCost(t *testing.T) {
	l := loopSeries{{ns: []float64{5, 5.5}}, {ns: []float64{7, 7.5}}, {ns: []float64{11, 11.5}}}
	if got, want := l.cost(), (result.Interval{Median: 3.25, Low: 3, High: 3.5}); got != want {
		t.Errorf("the loop costs %+v, want %+v", got, want)
	}
	if got := l.residual(); got != 0 {
		t.Errorf("%v ns are left, want none", got)
	}
	l[1].ns = []float64{8, 8.5}
	if got := l.residual(); got != 1 {
		t.Errorf("%v ns are left, want 1", got)
	}
}
