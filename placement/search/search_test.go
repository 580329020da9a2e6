package search

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

var (
	shares = []float64{0.1, 0.25, 0.5, 0.75, 0.9}
	usual  = Search{Peak: 1e6, Shares: shares, Repeats: 6}
)

// simulations are servers whose true highest rate is known.
var simulations = map[string]struct {
	server  server
	boundUs float64
}{
	"D/D/1":                         {server{requests: 20_000}, 20},
	"D/D/1, noise":                  {server{requests: 20_000, noise: 0.05}, 20},
	"M/D/1":                         {server{poisson: true, requests: 60_000}, 8},
	"M/D/1, low bound":              {server{poisson: true, requests: 60_000}, 3},
	"M/D/1, noise":                  {server{poisson: true, requests: 60_000, noise: 0.05}, 8},
	"M/D/1, noise and disturbances": {server{true, 60_000, 0.05, 0.05}, 8},
}

// TestSearchFindsTheHighestRate searches simulated servers. Each answer is within 3 % of the truth.
// The intervals of 95 % hold the truth that often.
func TestSearchFindsTheHighestRate(t *testing.T) {
	const tolerance = 0.03
	seeds := 40
	if testing.Short() {
		seeds = 5
		t.Log("a short run: fewer seeds")
	}
	all, covered := 0, 0
	for name, test := range simulations {
		want, worst, most := test.server.truth(test.boundUs), 0.0, 0
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 1))
			s := usual
			s.Peak *= 1.03 + 0.02*rng.Float64() // as a closed loop shows it
			a, trials := run(&s, func(rate float64) bool { return test.server.keeps(rng, rate, test.boundUs) })
			if a.Outcome != Found {
				t.Fatalf("%s, seed %d: found %+v", name, seed, a)
			}
			off := a.Rate/want - 1
			worst, most = max(worst, math.Abs(off)), max(most, len(trials))
			if math.Abs(off) > tolerance {
				t.Errorf("%s, seed %d: found %.4g, want %.4g (%+.1f %%)", name, seed, a.Rate, want, 100*off)
			}
			all++
			if a.Low <= want && (a.High == 0 || want <= a.High) {
				covered++
			} else {
				t.Logf("%s, seed %d: %+v without %g", name, seed, a, want)
			}
		}
		t.Logf("%s: %.4g, at most %.1f %% off after at most %d trials", name, want, 100*worst, most)
	}
	if share := float64(covered) / float64(all); share < 0.95 {
		t.Errorf("%.1f %% of the intervals hold the true rate, want 95 %%", 100*share)
	}
}

// TestSearchIsBounded measures verdicts by the throw of a coin, near each rate and everywhere.
func TestSearchIsBounded(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
		t.Log("a short run: fewer seeds")
	}
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := usual
		s.Repeats = 1 + int(seed%10)
		knee, blur := 1e6*rng.Float64(), 1e5*float64(seed%4)
		_, trials := run(&s, func(rate float64) bool { return rate+blur*rng.NormFloat64() < knee })
		if len(trials) > s.Most() {
			t.Fatalf("seed %d: found %d trials, want at most %d", seed, len(trials), s.Most())
		}
	}
}

// TestSearchContinues cuts a search after each of its trials. The rest is the same.
func TestSearchContinues(t *testing.T) {
	within := func(rate float64) bool { return rate < 0.83e6 }
	want, trials := run(&usual, within)
	for n := range trials {
		s, got := usual, trials[:n:n]
		for next := s.Next(got); len(next) > 0; next = s.Next(got) {
			if next[0] == 0 {
				s.Late = append(s.Late, s.Peak)
				continue
			}
			got = append(got, Trial{next[0], within(next[0])})
		}
		if a := s.Answer(got); !reflect.DeepEqual(a, want) || len(got) != len(trials) {
			t.Fatalf("cut after %d trials: found %+v after %d, want %+v after %d", n, a, len(got), want, len(trials))
		}
	}
}

func TestRound(t *testing.T) {
	for rate, want := range map[float64]float64{1234567: 1235000, 0.0123456: 0.01235, 5: 5, 0: 0} {
		if got := Round(rate); math.Abs(got-want) > 1e-12*want {
			t.Errorf("Round(%g) is %g, want %g", rate, got, want)
		}
	}
}
