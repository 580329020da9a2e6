package measure

import (
	"testing"

	"dpukv/hashbench/result"
)

// If the chains take 3 ns and 0.5 ns a multiplication, the loop costs 3 ns and the residual is 0.
// If the middle chain is 1 ns off the line, the residual is 1 ns.
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
