package results

import (
	"math"
	"slices"
)

// HitRate is the share of GETs that found their key, or 0 without GETs.
func (p *Point) HitRate() float64 { return ratio(float64(p.Hits), float64(p.Hits+p.Misses)) }

// HitRateInterval is an interval of the share of hits at nominal 95 %. It covers the variation
// within one measurement period. Only repeats cover that between periods.
type HitRateInterval struct {
	// Sections are the parts of the period that the interval comes from.
	Sections int     `json:"sections"`
	Lo       float64 `json:"lo"` // low end
	Hi       float64 `json:"hi"` // high end
}

// HitRateIntervalOf estimates the interval by the method of batch means: Student's t of the share
// of hits in five sections of the period, as a ratio (Cochran, "Sampling Techniques", 6.3). Hits
// depend on each other: a key that was just stored is found for a while. So an interval that counts
// each GET as independent would be too narrow. The result is zero if no GET missed or none hit, or
// with fewer than ten intervals.
func HitRateIntervalOf(intervals []Interval) HitRateInterval {
	whole := withTag(intervals, TagIntended)
	if len(whole) < intervalsLeast {
		return HitRateInterval{}
	}
	return hitRateInterval(hitsIn(sections, whole, intervals))
}

// hitRateInterval takes the counts of the sections.
func hitRateInterval(hits, misses []float64) HitRateInterval {
	all, found := sum(hits)+sum(misses), sum(hits)
	if found == 0 || found == all {
		return HitRateInterval{}
	}
	rate, squares := found/all, 0.0
	for s := range hits {
		excess := hits[s] - rate*(hits[s]+misses[s])
		squares += excess * excess
	}
	half := sectionsT * math.Sqrt(squares*sections/(sections-1)) / all
	return HitRateInterval{Sections: sections, Lo: max(rate-half, 0), Hi: min(rate+half, 1)}
}

// hitsIn counts the hits and misses in n parts of the whole. An interval without a miss has no
// histogram of misses.
func hitsIn(n int, whole, intervals []Interval) (hits, misses []float64) {
	hits, misses = make([]float64, n), make([]float64, n)
	for _, of := range []struct {
		tag    string
		counts []float64
	}{{TagGetHit, hits}, {TagGetMiss, misses}} {
		for _, iv := range withTag(intervals, of.tag) {
			at := slices.IndexFunc(whole, func(w Interval) bool { return w.Start.Equal(iv.Start) })
			if at >= 0 {
				of.counts[at*n/len(whole)] += float64(iv.Histogram.TotalCount())
			}
		}
	}
	return hits, misses
}

// withTag returns the intervals with a tag, in their order.
func withTag(intervals []Interval, tag string) []Interval {
	return slices.DeleteFunc(slices.Clone(intervals), func(iv Interval) bool {
		return iv.Tag != tag
	})
}
