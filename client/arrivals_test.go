package client

import (
	"math"
	"slices"
	"testing"

	"dpukv/load"
)

const (
	queueServiceNs = 100_000 // of a batch of one operation
	queueRho       = 0.9
)

// queueConfig is an open loop with a batch of one operation, at the queue's load.
func queueConfig(arrivals string, seed uint64) Config {
	return Config{
		Load: load.Load{
			Workload: load.Workload{Seed: seed}, Batch: 1, RateOps: queueRho * 1e9 / queueServiceNs,
			Arrivals: arrivals,
		},
		Threads: 1, AllThreads: 1,
	}
}

// queueLatencies puts the arrivals of clients' first threads through one queue with a fixed time of
// service. It returns the latencies of n arrivals, after as many as the queue needs to settle.
func queueLatencies(n int, clients ...Config) []int64 {
	const settle = 2000
	var due []int64
	for i := range clients {
		p := clients[i].pacer(0)
		for op := range n + settle {
			due = append(due, p.At(uint64(op)))
		}
	}
	slices.Sort(due)
	due = due[:n+settle] // beyond it, a client may have no more
	latencies, free := make([]int64, 0, n), int64(0)
	for i, at := range due {
		free = max(free, at) + queueServiceNs
		if i >= settle {
			latencies = append(latencies, free-at)
		}
	}
	return latencies
}

func percentile(latencies []int64, p float64) int64 {
	sorted := slices.Sorted(slices.Values(latencies))
	return sorted[int(math.Ceil(p/100*float64(len(sorted))))-1]
}

// latencyBeyond returns the probability that a Poisson arrival in a queue with a fixed time of
// service D and load ρ has a latency above t. By Erlang, with λ = ρ/D:
//
//	P(wait ≤ t) = (1-ρ) Σ e^{λ(t-kD)} (-λ(t-kD))^k / k!, for k from 0 to ⌊t/D⌋
func latencyBeyond(t float64) float64 {
	const d, lambda = queueServiceNs, queueRho / queueServiceNs
	wait := t - d
	if wait < 0 {
		return 1
	}
	sum := 0.0
	for k := 0.0; k <= math.Floor(wait/d); k++ {
		x := lambda * (wait - k*d)
		logFactorial, _ := math.Lgamma(k + 1)
		term := math.Exp(x + k*math.Log(x) - logFactorial)
		if k == 0 {
			term = math.Exp(x)
		}
		if int(k)%2 == 1 {
			term = -term
		}
		sum += term
	}
	return 1 - (1-queueRho)*sum
}

// latencyAt returns the latency with the given probability of a higher one.
func latencyAt(beyond float64) float64 {
	low, high := float64(queueServiceNs), 50.0*queueServiceNs
	for high-low > 1 {
		if mid := (low + high) / 2; latencyBeyond(mid) > beyond {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// TestArrivalsDecideTheTail: at 90 % load, constant arrivals never queue. The latencies of Poisson
// arrivals are those of the theory of queues: a mean of 550 µs, and a p99 of 2,290 µs.
func TestArrivalsDecideTheTail(t *testing.T) {
	if p99 := percentile(queueLatencies(20_000, queueConfig(load.Constant, 1)), 99); p99 != queueServiceNs {
		t.Errorf("constant arrivals have a p99 of %d ns, want the time of service", p99)
	}
	const replicas, arrivals = 100, 20_000
	want99 := latencyAt(0.01)
	t.Logf("p99 by the formula: %.0f µs", want99/1e3)
	var means, beyond, p99s []float64
	for seed := range uint64(replicas) {
		latencies := queueLatencies(arrivals, queueConfig(load.Poisson, seed+1))
		sum, above := 0.0, 0.0
		for _, ns := range latencies {
			sum += float64(ns)
			if float64(ns) > want99 {
				above++
			}
		}
		means, beyond = append(means, sum/arrivals), append(beyond, above/arrivals)
		p99s = append(p99s, float64(percentile(latencies, 99)))
	}
	// Pollaczek and Khinchine: the mean wait is ρD / 2(1-ρ).
	holds(t, "the mean", means, queueServiceNs*(1+queueRho/(2*(1-queueRho))))
	holds(t, "the share beyond the p99", beyond, 0.01)
	mean, _ := meanAndError(p99s)
	t.Logf("p99 of a replica, on the average: %.0f µs", mean/1e3)
}

func meanAndError(values []float64) (mean, standardError float64) {
	sum, squares, n := 0.0, 0.0, float64(len(values))
	for _, x := range values {
		sum += x
		squares += x * x
	}
	mean = sum / n
	return mean, math.Sqrt((squares/n - mean*mean) / (n - 1))
}

// holds checks that the mean of independent values is within four standard errors of want.
func holds(t *testing.T, name string, values []float64, want float64) {
	t.Helper()
	mean, err := meanAndError(values)
	t.Logf("%s: %.5g ± %.2g, want %.5g", name, mean, err, want)
	if math.Abs(mean-want) > 4*err {
		t.Errorf("%s is %v, %.1f standard errors from %v", name, mean, math.Abs(mean-want)/err, want)
	}
}

// TestClientsOfAPointAreNotInPhase: with constant arrivals and a common start, two clients met the
// server together each time. Now the seed decides, and another repeat has another phase.
func TestClientsOfAPointAreNotInPhase(t *testing.T) {
	var p99s []int64
	for seed := range uint64(20) {
		a, b := queueConfig(load.Constant, seed), queueConfig(load.Constant, seed)
		a.RateOps, b.RateOps = a.RateOps/2, b.RateOps/2
		a.AllThreads, b.AllThreads, b.FirstThread = 2, 2, 1
		p99s = append(p99s, percentile(queueLatencies(1000, a, b), 99))
	}
	slices.Sort(p99s)
	if p99s[0] > 110_000 || p99s[len(p99s)-1] < 150_000 || p99s[len(p99s)/2] > 190_000 {
		t.Errorf("p99 over the seeds: %d", p99s)
	}
	alone := queueConfig(load.Constant, 3)
	if p := alone.pacer(0); p.OffsetNs != 0 {
		t.Errorf("a client alone begins %v ns late", p.OffsetNs)
	}
}
