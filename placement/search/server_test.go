package search

import (
	"math"
	"math/rand/v2"
)

// server is a simulated FIFO server in virtual time. Each request takes exactly 1 µs, so the
// capacity is 1e6 requests a second, and each latency is exact.
type server struct {
	poisson  bool    // independent arrivals; false: at equal distances
	requests int     // of one trial
	noise    float64 // standard deviation of the logarithm of a trial's latencies
	disturb  float64 // share of the trials in which something else breaks the bound
}

// keeps reports whether a trial's p99 is within the bound, in µs. The time from an arrival to the
// end of its service follows from Lindley's recursion.
func (s *server) keeps(rng *rand.Rand, rate, boundUs float64) bool {
	if rng.Float64() < s.disturb {
		return false
	}
	limit := boundUs / math.Exp(s.noise*rng.NormFloat64())
	gap := 1e6 / rate
	wait, beyond := 0.0, 0
	for range s.requests {
		if wait+1 > limit {
			beyond++
		}
		next := gap
		if s.poisson {
			next *= rng.ExpFloat64()
		}
		wait = max(wait+1-next, 0)
	}
	return beyond*100 <= s.requests
}

// truth returns the highest rate whose p99 keeps the bound: of a long simulation without noise.
func (s *server) truth(boundUs float64) float64 {
	if !s.poisson {
		return 1e6 // below the capacity nobody waits, beyond it the queue grows without end
	}
	rng, long := rand.New(rand.NewPCG(9, 9)), server{poisson: true, requests: 2_000_000}
	lo, hi := 0.0, 1e6
	for hi-lo > 500 {
		mid := (lo + hi) / 2
		if long.keeps(rng, mid, boundUs) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// run searches to the end.
func run(s *Search, within func(rate float64) bool) (Answer, []Trial) {
	return runFrom(s, func(rate float64, _ int) bool { return within(rate) }, func(int) float64 { return s.Peak })
}

// runFrom searches to the end. Verdicts and peaks depend on how many trials were before.
func runFrom(
	s *Search, within func(rate float64, at int) bool, peak func(at int) float64,
) (Answer, []Trial) {
	var trials []Trial
	of := *s
	of.Early, of.Late = nil, nil
	for range of.Repeats {
		of.Early = append(of.Early, peak(0))
	}
	for next := of.Next(trials); len(next) > 0; next = of.Next(trials) {
		for _, rate := range next {
			if rate == 0 {
				of.Late = append(of.Late, peak(len(trials)))
				continue
			}
			trials = append(trials, Trial{rate, within(rate, len(trials))})
		}
	}
	return of.Answer(trials), trials
}
