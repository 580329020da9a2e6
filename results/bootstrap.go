package results

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// LatencyInterval is the intervals of a distribution's percentiles at 95 %, in nanoseconds. They
// cover the variation within one measurement period. Only repeats cover that between periods.
type LatencyInterval struct {
	P50LoNs  int64 `json:"p50_lo_ns,omitempty"`  // median: low end
	P50HiNs  int64 `json:"p50_hi_ns,omitempty"`  // median: high end
	P95LoNs  int64 `json:"p95_lo_ns,omitempty"`  // 95th percentile: low end
	P95HiNs  int64 `json:"p95_hi_ns,omitempty"`  // 95th percentile: high end
	P99LoNs  int64 `json:"p99_lo_ns,omitempty"`  // 99th percentile: low end
	P99HiNs  int64 `json:"p99_hi_ns,omitempty"`  // 99th percentile: high end
	P999LoNs int64 `json:"p999_lo_ns,omitempty"` // 99.9th percentile: low end
	P999HiNs int64 `json:"p999_hi_ns,omitempty"` // 99.9th percentile: high end
}

const (
	bootstrapRounds = 400
	// bootstrapLeast is the least number of intervals for a bootstrap. Fewer are too few blocks.
	bootstrapLeast = 10
)

// bootstrapped are the percentiles of a [LatencyInterval], in its order.
var bootstrapped = [4]float64{0.50, 0.95, 0.99, 0.999}

// LatencyIntervalOf estimates the intervals of percentiles by a bootstrap of blocks: it draws
// blocks of neighbouring intervals, with replacement, until it has as many intervals as there are.
// Blocks keep what holds on for longer than an interval, such as a queue or a cleaner. The result
// is zero with fewer than ten intervals. It is too narrow if something holds on for longer than a
// block, which has about 1.5 times the cube root of the number of intervals. The same intervals
// give the same result.
func LatencyIntervalOf(intervals []Interval, tag string) LatencyInterval {
	values, counts := tabulate(intervals, tag)
	n := len(counts)
	if n < bootstrapLeast {
		return LatencyInterval{}
	}
	var drawn [len(bootstrapped)][]int64
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(values))))
	for range bootstrapRounds {
		for i, v := range percentiles(values, counts, blocks(rng, n)) {
			drawn[i] = append(drawn[i], v)
		}
	}
	var ends [2 * len(bootstrapped)]int64
	for i, list := range drawn {
		slices.Sort(list)
		tail := int((1 - Confidence) / 2 * bootstrapRounds)
		ends[2*i], ends[2*i+1] = list[tail], list[len(list)-1-tail]
	}
	return LatencyInterval{
		ends[0], ends[1], ends[2], ends[3], ends[4], ends[5], ends[6], ends[7],
	}
}

// tabulate returns the values that histograms of a tag have, ascending, and the counts of these
// values in each interval.
func tabulate(intervals []Interval, tag string) (values []int64, counts [][]float64) {
	var bars [][]hdrhistogram.Bar
	for _, iv := range intervals {
		if iv.Tag != tag || iv.Histogram.TotalCount() == 0 {
			continue
		}
		some := slices.DeleteFunc(iv.Histogram.Distribution(), func(b hdrhistogram.Bar) bool {
			return b.Count == 0
		})
		bars = append(bars, some)
		for _, b := range some {
			values = append(values, b.To)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for _, some := range bars {
		of := make([]float64, len(values))
		for _, b := range some {
			at, _ := slices.BinarySearch(values, b.To)
			of[at] = float64(b.Count)
		}
		counts = append(counts, of)
	}
	return values, counts
}

// blocks draws blocks of neighbouring intervals, the first after the last, and returns how often
// each of n intervals is in them.
func blocks(rng *rand.Rand, n int) (times []float64) {
	length := int(math.Ceil(1.5 * math.Cbrt(float64(n))))
	times = make([]float64, n)
	for left := n; left > 0; left -= length {
		first := rng.IntN(n)
		for i := range min(length, left) {
			times[(first+i)%n]++
		}
	}
	return times
}

// percentiles are those of the intervals, each taken so many times.
func percentiles(values []int64, counts [][]float64, times []float64) (list [4]int64) {
	sums, total := make([]float64, len(values)), 0.0
	for i, t := range times {
		if t == 0 {
			continue
		}
		for at, c := range counts[i] {
			sums[at] += t * c
			total += t * c
		}
	}
	next, sum := 0, 0.0
	for at, c := range sums {
		sum += c
		for next < len(list) && sum >= math.Floor(bootstrapped[next]*total+0.5) {
			list[next] = values[at]
			next++
		}
	}
	return list
}
