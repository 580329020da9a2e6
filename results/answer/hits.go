package answer

import (
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// hitRates says which share of the GETs found their key, where a load let GETs miss: a faster store
// that finds less may be the worse cache.
func (r *race) hitRates() string {
	var parts []string
	for i := range r.entries {
		e := &r.entries[i]
		if e.mark != nil && slices.ContainsFunc(e.mark.Repeats, letMiss) {
			parts = append(parts, hitRate(e.mark.Repeats)+" for "+e.label)
		}
	}
	if parts == nil {
		return ""
	}
	return " Hit rate: " + joined(parts) + "."
}

// reads says what the clients read by themselves, of the best line in which they do.
func (r *race) reads() string {
	for i := range r.entries {
		if e := &r.entries[i]; e.mark != nil && e.mark.Repeats[0].Items != nil {
			return ofReads(e.label, e.mark.Repeats)
		}
	}
	return ""
}

func letMiss(p *results.Point) bool { return p.MayMiss() && p.Gets > 0 }

// hitRate is the median of the repeats, with their range if it is seen.
func hitRate(repeats []*results.Point) string {
	s := results.SpreadBy(repeats, func(p *results.Point) float64 { return 100 * p.HitRate() })
	text := numfmt.Digits3(s.Median) + " %"
	if s.Min < s.Max {
		text += " " + numfmt.Range(s.Min, s.Max)
	}
	return text
}
