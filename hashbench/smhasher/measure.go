package smhasher

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"

	"dpukv/hashbench"
	"dpukv/hashbench/clock"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
)

// The constants of SMHasher's SpeedTest.cpp.
const (
	callsOfShort = 200 // between two readings of the timer
	longestShort = 255
	shortTrials  = 99_999
	longTrials   = 2_999
)

// quickPart is the divisor for quick runs: that part of the trials is enough to see the factor.
const quickPart = 20

// Measure times a function on input of one length as SMHasher does. The calling thread is pinned,
// and coreHz is its core's rate. quick makes a twentieth of SMHasher's trials.
func Measure(f hashbench.Func, bytes int, coreHz float64, quick bool) (result.SMHasher, error) {
	timer := NewTimer()
	if timer.Name == "" {
		return result.SMHasher{},
			errors.New("this architecture has no timer that SMHasher reads: use amd64 or arm64")
	}
	trials, round := shortTrials, shortRound
	if bytes > longestShort {
		trials, round = longTrials, longRound
	}
	if quick {
		trials /= quickPart
	}
	cycles, ns := run(f.Native, bytes, trials, timer.Factor, round)
	return result.SMHasher{
		Subject: result.Subject{
			Function: f.Name, Family: f.Family, Bits: f.Bits,
			Module: f.Module, Variant: string(f.Variant),
		},
		Bytes:      bytes,
		Ns:         ns,
		Cycles:     cycles,
		CoreCycles: ns * coreHz / 1e9,
		Timer:      timer.Name,
		TimerHz:    timer.Hz,
	}, nil
}

// run makes the trials. It filters and averages the timer's ticks a call as SMHasher does. The
// nanoseconds are the thread's CPU time of all trials over all calls, without the time to fill in
// new input between them.
func run(
	f hashbench.Native, bytes, trials int, factor float64,
	round func(hashbench.Native, []byte) (uint64, int),
) (cycles, ns float64) {
	rng := rand.NewChaCha8([32]byte{})
	buffer := make([]byte, bytes+4) // the key moves by four bytes
	times := make([]float64, 0, trials)
	var cpuNs, calls int64
	for range trials {
		_, _ = rng.Read(buffer)
		start := cpu.ThreadNs()
		counted, n := round(f, buffer)
		cpuNs += cpu.ThreadNs() - start
		calls += int64(n)
		// SMHasher divides whole numbers
		if t := math.Floor(float64(counted) * factor / float64(n)); t > 0 {
			times = append(times, t)
		}
	}
	return mean(filterOutliers(times)),
		(float64(cpuNs) - clockCost()*float64(trials)) / float64(calls)
}

// shortRound is SMHasher's timehash_small.
func shortRound(f hashbench.Native, buffer []byte) (counted uint64, calls int) {
	n := len(buffer) - 4
	hash := uint64(0)
	begin := clock.Counter()
	for range callsOfShort {
		shift := int(hash&1) * 4
		hash, _ = f.Sum(buffer[shift : shift+n])
	}
	end := clock.Counter()
	runtime.KeepAlive(hash) // the compiler must not drop unused hashes
	return end - begin, callsOfShort
}

// longRound is SMHasher's timehash.
func longRound(f hashbench.Native, buffer []byte) (counted uint64, calls int) {
	begin := clock.Counter()
	hash, _ := f.Sum(buffer[:len(buffer)-4])
	end := clock.Counter()
	runtime.KeepAlive(hash) // the compiler must not drop unused hashes
	return end - begin, 1
}

// clockCost is the cost of two readings of the thread's clock.
func clockCost() float64 {
	const n = 2000
	var sum int64
	for range n {
		start := cpu.ThreadNs()
		sum += cpu.ThreadNs() - start
	}
	return float64(sum) / n
}
