package answer

import (
	"fmt"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// hosts is the CPU time of hosts per operation at a line's mark, over its repeats.
func (e *entry) hosts() (s results.Spread, known bool) {
	if e.mark == nil || !e.mark.Tells(results.HostCPU) {
		return s, false
	}
	return e.mark.Of(results.HostCPU), true
}

// usesDPU reports whether a part of the line ran on a DPU.
func (e *entry) usesDPU() bool {
	return e.mark.Of(results.DPUCPU).Max > 0
}

// saving is the line on DPUs that costs the hosts least, beside the best line: the CPU time of
// hosts per operation of both, and the share of the best line's throughput that it has. Each is the
// least and the greatest of all cases.
type saving struct {
	label                string
	least, instead, with [2]float64
}

// saves returns the saving of a race by throughput. Ranges of repeats that overlap show none.
func (r *race) saves() (s saving, shown bool) {
	if !r.by.Higher {
		return s, false // costs says it
	}
	best := &r.entries[0]
	most, known := best.hosts()
	for i := range r.others() {
		e := &r.others()[i]
		least, has := e.hosts()
		if known && has && e.usesDPU() && least.Max < most.Min &&
			(!shown || least.Median < s.least[0]) {
			share := 1 / e.behind.ratio.Estimate
			shown, s = true, saving{
				label: e.label, least: [2]float64{least.Median, least.Median},
				instead: [2]float64{most.Median, most.Median}, with: [2]float64{share, share},
			}
		}
	}
	return s, shown
}

// String says what the hosts save, and what that costs.
func (s saving) String() string {
	at := span([2]float64{100 * s.with[0], 100 * s.with[1]}) + " % of"
	if s.with[1] > 1 {
		at = span(s.with) + " times"
	}
	return fmt.Sprintf(" %s costs the hosts %s instead of %s ns of CPU time per operation, at %s "+
		"that throughput.", s.label, span(s.least), span(s.instead), at)
}

// span writes a range, or one figure where its ends are alike.
func span(of [2]float64) string {
	least, most := numfmt.Digits3(of[0]), numfmt.Digits3(of[1])
	if of[0] == 0 {
		least = "0"
	}
	if of[1] == 0 || least == most {
		return least
	}
	return least + " to " + most
}

// savesTogether is the saving in all races, if one line costs the hosts least in each.
func savesTogether(races []*race) string {
	var all saving
	for i, r := range races {
		s, shown := r.saves()
		if !shown || i > 0 && s.label != all.label {
			return ""
		}
		if i == 0 {
			all = s
		}
		widen(&all.least, s.least)
		widen(&all.instead, s.instead)
		widen(&all.with, s.with)
	}
	return all.String()
}

func widen(r *[2]float64, by [2]float64) { r[0], r[1] = min(r[0], by[0]), max(r[1], by[1]) }
