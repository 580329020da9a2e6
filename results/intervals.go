package results

import (
	"cmp"
	"slices"
	"time"
)

// Recording is one recorder's part of a measurement period with several recorders.
type Recording struct {
	Start     time.Time // of the measurement period, by the recorder's clock
	Intervals []Interval
}

// MergeIntervals merges recordings of one measurement period, tag by tag and interval by interval.
// Each recording counts from its own start, so the recorders' clocks need not agree. The merged
// intervals have the times of the first recording. MergeIntervals fails where [Merge] does.
func MergeIntervals(recordings ...Recording) ([]Interval, error) {
	type place struct {
		tag      string
		offsetMs int64 // what a histogram log holds
	}
	merged := map[place]Interval{}
	for _, r := range recordings {
		for _, iv := range r.Intervals {
			at := place{iv.Tag, iv.Start.UnixMilli() - r.Start.UnixMilli()}
			shift := recordings[0].Start.Sub(r.Start).Truncate(time.Millisecond)
			both := iv
			both.Start, both.End = iv.Start.Add(shift), iv.End.Add(shift)
			if before, there := merged[at]; there {
				sum, err := Merge(before.Histogram, iv.Histogram)
				if err != nil {
					return nil, err
				}
				both = Interval{Tag: iv.Tag, Start: before.Start, End: before.End, Histogram: sum}
			}
			merged[at] = both
		}
	}
	list := make([]Interval, 0, len(merged))
	for _, iv := range merged {
		list = append(list, iv)
	}
	slices.SortFunc(list, func(a, b Interval) int {
		return cmp.Or(a.Start.Compare(b.Start), -cmp.Compare(a.Tag, b.Tag))
	})
	return list, nil
}
