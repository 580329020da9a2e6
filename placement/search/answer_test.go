package search

import (
	"math"
	"reflect"
	"testing"
)

func TestOutcomes(t *testing.T) {
	for name, test := range map[string]struct {
		within func(rate float64) bool
		want   Answer
	}{
		"never kept": {func(float64) bool { return false }, Answer{Outcome: LowestViolates, Beyond: 1e5}},
		"always kept": {
			func(float64) bool { return true },
			Answer{
				Outcome: KeptUpToPeak, Rate: 1e6, Low: 1e6, Within: Share{9, 9}, Again: Share{3, 3},
				Below: []float64{1e5, 2.5e5, 5e5, 7.5e5, 9e5},
			},
		},
		"broken at the lowest rate, kept above": {
			func(rate float64) bool { return rate > 2e5 && rate < 8e5 },
			Answer{Outcome: Inverted, Beyond: 1e5, Above: 7.5e5},
		},
		"broken in the middle": {
			func(rate float64) bool { return rate != 5e5 && rate < 9e5 },
			Answer{Outcome: Inverted, Beyond: 5e5, Above: 7.5e5},
		},
	} {
		got, _ := run(&usual, test.within)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: found %+v, want %+v", name, got, test.want)
		}
	}
	if got := usual.Answer(nil); got.Outcome != Unfinished {
		t.Errorf("found %+v without a trial", got)
	}
}

// TestALowerRateCounts turns the verdict on the answer while it is confirmed.
func TestALowerRateCounts(t *testing.T) {
	seen := map[float64]int{}
	first, _ := run(&usual, func(rate float64) bool { return rate < 0.83e6 })
	got, _ := run(&usual, func(rate float64) bool {
		seen[rate]++
		return rate < 0.83e6 && (rate != first.Rate || seen[rate] <= 2)
	})
	if got.Outcome != Found || got.Rate >= first.Rate || got.Beyond != first.Rate {
		t.Errorf("found %+v, want a rate below %g, which is not within", got, first.Rate)
	}
}

// TestVerdictsThatKeepTurning: each rate between those of the ladder is within at first, and is not
// when it is confirmed.
func TestVerdictsThatKeepTurning(t *testing.T) {
	seen := map[float64]int{}
	got, trials := run(&Search{Peak: 1e6, Shares: []float64{0.1}, Repeats: 20}, func(rate float64) bool {
		seen[rate]++
		return rate <= 1e5 || rate < 1e6 && seen[rate] <= 2
	})
	if got.Outcome != Unsettled || len(trials) == 0 {
		t.Errorf("found %+v after %d trials, want no answer", got, len(trials))
	}
}

// TestInterval needs six trials of a kind for an end of the interval.
func TestInterval(t *testing.T) {
	five, six := count{5, 5}, count{6, 6}
	for name, test := range map[string]struct {
		t         tally
		low, high float64
	}{
		"five of each":              {tally{1: five, 2: {5, 0}}, 0, 0},
		"six of each":               {tally{1: six, 2: {6, 0}}, 1, 2},
		"lower and higher rates":    {tally{0.5: {3, 3}, 1: {4, 4}, 2: {4, 0}, 3: {2, 0}}, 0.5, 3},
		"an unsure answer":          {tally{0.5: six, 1: {6, 4}, 2: {6, 0}}, 0.5, 2},
		"a lower rate is no excuse": {tally{0.5: {2, 1}, 1: {6, 4}, 2: {6, 2}}, 0, 0},
	} {
		if low, high := test.t.low(1), test.t.high(2); low != test.low || high != test.high {
			t.Errorf("%s: found %g to %g, want %g to %g", name, low, high, test.low, test.high)
		}
	}
	if p := tail(6, 5); math.Abs(p-7./64) > 1e-12 {
		t.Errorf("five heads or more in six throws have the probability %g", p)
	}
}
