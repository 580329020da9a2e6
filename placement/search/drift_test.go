package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const truth = 0.83e6 // the limit of these worlds, as a mean where it moves

// world is one whose limit is known after each number of trials. Around it, the share of the trials
// within falls as the logistic curve of this width.
type world struct {
	limit func(at int) float64
	width float64 // as a share of the limit; the share falls from 3/4 to 1/4 over 2.2 times as much
}

func steady(int) float64 { return truth }

// answers searches a world once for each seed. The peak is 1 Mops, with 1 % of noise.
func (w *world) answers(seeds int, peak func(at int) float64) (list []Answer) {
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := usual
		s.Peak *= 1 + 0.04*rng.Float64()
		a, _ := runFrom(&s, func(rate float64, at int) bool {
			limit := w.limit(at)
			return rng.Float64() < 1/(1+math.Exp((rate-limit)/(w.width*limit)))
		}, func(at int) float64 { return peak(at) * (1 + 0.01*rng.NormFloat64()) })
		list = append(list, a)
	}
	return list
}

func counted(answers []Answer, is func(a *Answer) bool) (n int) {
	for i := range answers {
		if is(&answers[i]) {
			n++
		}
	}
	return n
}

func simulated(t *testing.T) int {
	if testing.Short() {
		t.Log("a short run: fewer seeds")
		return 30
	}
	return 400
}

// TestSlope: how exact an answer is depends on the slope, which stands beside it.
func TestSlope(t *testing.T) {
	seeds := simulated(t)
	for _, test := range []struct{ width, within float64 }{
		{0.001, 0.017}, {0.01, 0.022}, {0.03, 0.042}, {0.08, 0.10}, {0.15, 0.17},
	} {
		w, slopes := world{steady, test.width}, []float64(nil)
		answers := w.answers(seeds, func(int) float64 { return 1e6 })
		near := counted(answers, func(a *Answer) bool {
			if a.Rate > 0 {
				slopes = append(slopes, a.Slope)
			}
			return math.Abs(a.Rate/truth-1) <= test.within
		})
		if 100*near < 93*seeds {
			t.Errorf("width %v: %d of %d answers are within %.1f %%", test.width, near, seeds, 100*test.within)
		}
		slices.Sort(slopes)
		got, want := slopes[len(slopes)/2], 2*math.Log(3)*test.width
		if want > Resolution && (got < want/2 || got > want) || want < Resolution && got > Resolution {
			t.Errorf("width %v: found the median slope %.3f, want %.3f, or somewhat less", test.width, got, want)
		}
		if n := counted(answers, func(a *Answer) bool { return a.Drift != 0 }); 100*n > 4*seeds {
			t.Errorf("width %v: a drift in %d of %d searches, want 2 %%", test.width, n, seeds)
		}
		if n := counted(answers, func(a *Answer) bool { return a.PeakDrift != 0 }); 100*n > 4*seeds {
			t.Errorf("width %v: the peak drifts in %d of %d searches, want 2 %%", test.width, n, seeds)
		}
		t.Logf("width %v: %d of %d answers are within %.1f %%, the slope is %.3f of %.3f", test.width, near, seeds,
			100*test.within, got, want)
	}
}

// TestMovingLimit: a limit that moves while the search measures is told.
func TestMovingLimit(t *testing.T) {
	seeds := simulated(t)
	step := func(from int, to float64) func(int) float64 {
		return func(at int) float64 {
			if at < from {
				return truth
			}
			return to
		}
	}
	for name, test := range map[string]struct {
		limit func(at int) float64
		drift int
		least int // per cent of the searches
	}{
		"falls by 16 %": {func(at int) float64 { return truth * (1.08 - 0.16*float64(at)/50) }, -1, 98},
		"rises by 16 %": {func(at int) float64 { return truth * (0.92 + 0.16*float64(at)/50) }, 1, 98},
		"falls by 8 %":  {func(at int) float64 { return truth * (1.04 - 0.08*float64(at)/50) }, -1, 75},
		"a step down":   {step(25, 0.8*truth), -1, 50},
		"a step up":     {step(25, 1.2*truth), 1, 45},
	} {
		w := world{test.limit, 0.003}
		answers := w.answers(seeds, func(int) float64 { return 1e6 })
		told := counted(answers, func(a *Answer) bool { return a.Drift == test.drift })
		end := test.limit(40)
		silent := counted(answers, func(a *Answer) bool {
			off := math.Abs(a.Rate/end-1) > 0.1
			return a.Rate > 0 && off && a.Drift == 0 && a.Turned() == nil
		})
		if 100*told < test.least*seeds || 50*silent > seeds {
			t.Errorf("%s: told in %d of %d searches, far off without a word in %d", name, told, seeds, silent)
		}
		t.Logf("%s: told in %d of %d searches, far off without a word in %d", name, told, seeds, silent)
	}
}

func TestMovingPeak(t *testing.T) {
	seeds := simulated(t)
	w := world{steady, 0.01}
	answers := w.answers(seeds, func(at int) float64 {
		if at > 20 {
			return 0.95e6
		}
		return 1e6
	})
	told := counted(answers, func(a *Answer) bool { return math.Abs(a.PeakDrift+0.05) < 0.02 })
	if 100*told < 90*seeds {
		t.Errorf("a peak that falls by 5 %% is told in %d of %d searches", told, seeds)
	}
	few := Search{Early: []float64{10, 10}, Late: []float64{5, 5, 5}}
	if got := few.peakDrift(); got != 0 {
		t.Errorf("two early peaks tell a drift of %v", got)
	}
}

// TestHoles: rates that break the bound below the answer. On a rung of the ladder, there is none.
// Between two rungs, the answer says that nothing between them was tried.
func TestHoles(t *testing.T) {
	hole := func(from, to float64) Answer {
		a, _ := run(&usual, func(rate float64) bool { return rate < truth && (rate < from || rate > to) })
		return a
	}
	rung := hole(0.49e6, 0.51e6)
	if rung.Outcome != Inverted || rung.Beyond != 0.5e6 || rung.Above != 0.75e6 {
		t.Errorf("on a rung: found %+v", rung)
	}
	between := hole(0.55e6, 0.60e6)
	if at := slices.Index(between.Below, 0.5e6); between.Rate < 0.8e6 || at < 0 || between.Below[at+1] != 0.75e6 {
		t.Errorf("between two rungs: found %+v", between)
	}
}

// TestAKeptRateAbove turns both ends while they are confirmed.
func TestAKeptRateAbove(t *testing.T) {
	first, _ := run(&usual, func(rate float64) bool { return rate < truth })
	seen := map[float64]int{}
	got, _ := run(&usual, func(rate float64) bool {
		seen[rate]++
		n := seen[rate]
		turned := rate == first.Rate && n > 2 || rate == first.Beyond && (n == 2 || n > 3)
		return rate < truth != turned
	})
	if got.Rate >= first.Rate || got.Beyond != first.Rate || got.Above != first.Beyond {
		t.Errorf("found %+v, want that %g is kept above %g", got, first.Beyond, first.Rate)
	}
}
