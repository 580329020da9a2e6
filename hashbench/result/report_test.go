package result_test

import (
	"testing"

	"dpukv/hashbench/result"
)

// A difference ranges over all values that both intervals allow.
func TestIntervalOfADifference(t *testing.T) {
	got := result.Interval{Median: 10, Low: 9, High: 12}.Less(result.Interval{Median: 2, Low: 1, High: 4})
	if want := (result.Interval{Median: 8, Low: 5, High: 11}); got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
}
