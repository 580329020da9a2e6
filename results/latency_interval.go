package results

import (
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// LatencyInterval is the intervals of a distribution's percentiles at nominal 95 %, in nanoseconds.
// They cover the variation within one measurement period. Only repeats cover that between periods.
// A percentile without a high end is at least its low end: the period is too short to say more.
type LatencyInterval struct {
	// Sections are the parts of the period that the interval comes from. They are absent in points
	// of older builds, whose intervals were too narrow.
	Sections int   `json:"sections,omitempty"`
	P50LoNs  int64 `json:"p50_lo_ns,omitempty"`  // median: low end
	P50HiNs  int64 `json:"p50_hi_ns,omitempty"`  // median: high end, if there is one
	P95LoNs  int64 `json:"p95_lo_ns,omitempty"`  // 95th percentile: low end
	P95HiNs  int64 `json:"p95_hi_ns,omitempty"`  // 95th percentile: high end, if there is one
	P99LoNs  int64 `json:"p99_lo_ns,omitempty"`  // 99th percentile: low end
	P99HiNs  int64 `json:"p99_hi_ns,omitempty"`  // 99th percentile: high end, if there is one
	P999LoNs int64 `json:"p999_lo_ns,omitempty"` // 99.9th percentile: low end
	P999HiNs int64 `json:"p999_hi_ns,omitempty"` // 99.9th percentile: high end, if there is one
}

const (
	sections = 5
	// sectionsT is the 97.5th percentile of Student's t with sections − 1 degrees of freedom.
	sectionsT = 2.776
	// intervalsLeast is the least number of intervals of a log for a [LatencyInterval].
	intervalsLeast = 2 * sections
)

// LatencyIntervalOf estimates the intervals by the method of batch means: it cuts the period into
// sections, each of which has a share of answers above the estimate of the percentile. Student's t
// of these shares gives an interval for the share, and the distribution the values that go with its
// ends (Woodruff, "Confidence Intervals for Medians and Other Position Measures", JASA 47, 1952).
// If more than all answers could be below the percentile, it has no high end. The result is zero
// with fewer than ten intervals.
func LatencyIntervalOf(intervals []Interval, tag string) LatencyInterval {
	t := tabulate(intervals, tag)
	if t.total == 0 {
		return LatencyInterval{}
	}
	i := LatencyInterval{Sections: sections}
	i.P50LoNs, i.P50HiNs = t.interval(0.50)
	i.P95LoNs, i.P95HiNs = t.interval(0.95)
	i.P99LoNs, i.P99HiNs = t.interval(0.99)
	i.P999LoNs, i.P999HiNs = t.interval(0.999)
	return i
}

// table has a column for each value that the histograms have, ascending, and its counts in the
// sections.
type table struct {
	values []int64
	counts [sections][]float64
	below  []float64 // count of all sections, of this value and of those below
	total  float64
}

// tabulate returns an empty table if there are too few intervals.
func tabulate(intervals []Interval, tag string) (t table) {
	intervals = withTag(intervals, tag)
	if len(intervals) < intervalsLeast {
		return t
	}
	var of [sections]*hdrhistogram.Histogram
	for s := range of {
		of[s] = NewHistogram()
	}
	for i, iv := range intervals {
		of[i*sections/len(intervals)].Merge(iv.Histogram)
	}
	var bars [sections][]hdrhistogram.Bar
	for s, h := range of {
		bars[s] = slices.DeleteFunc(h.Distribution(), func(b hdrhistogram.Bar) bool {
			return b.Count == 0
		})
		for _, b := range bars[s] {
			t.values = append(t.values, b.To)
		}
	}
	slices.Sort(t.values)
	t.values = slices.Compact(t.values)
	t.below = make([]float64, len(t.values))
	for s, some := range bars {
		t.counts[s] = make([]float64, len(t.values))
		for _, b := range some {
			at, _ := slices.BinarySearch(t.values, b.To)
			t.counts[s][at] = float64(b.Count)
			t.below[at] += float64(b.Count)
		}
	}
	for at := range t.below {
		t.total += t.below[at]
		t.below[at] = t.total
	}
	return t
}

// interval returns the ends of a quantile's interval; high is 0 if there is none.
func (t *table) interval(quantile float64) (low, high int64) {
	estimate := t.index(math.Floor(quantile*t.total + 0.5))
	// Where many answers have the estimate's value, the shares above it and from it on differ.
	half := sectionsT * max(t.deviation(estimate+1), t.deviation(estimate))
	low = t.at(math.Floor((quantile - half) * t.total))
	if quantile+half >= 1 {
		return low, 0
	}
	return low, t.at(math.Ceil((quantile + half) * t.total))
}

// deviation is the standard error of the share of answers that have this value or a greater one.
func (t *table) deviation(from int) float64 {
	share := 0.0
	for _, counts := range t.counts {
		share += sum(counts[from:]) / t.total
	}
	squares := 0.0
	for _, counts := range t.counts {
		excess := sum(counts[from:]) - share*sum(counts)
		squares += excess * excess
	}
	return math.Sqrt(squares*sections/(sections-1)) / t.total
}

// index is that of the value which so many answers do not exceed.
func (t *table) index(answers float64) int {
	at, _ := slices.BinarySearch(t.below, max(answers, 1))
	return min(at, len(t.below)-1)
}

func (t *table) at(answers float64) int64 { return t.values[t.index(answers)] }
