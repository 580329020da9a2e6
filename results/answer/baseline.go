package answer

import (
	"fmt"
	"slices"

	"dpukv/internal/numfmt"
)

// baselines are the submodes that the others are compared with: nothing is on the path, or the card
// forwards nothing.
var baselines = []string{"direct", "off-path", "off-path-sf"}

// setAside takes the lines out of a race that are no rivals: baselines beside other submodes, and
// all but the first of several submodes that one stand-in forwarded.
func (r *race) setAside() {
	rival := func(e entry) bool { return !slices.Contains(baselines, e.first().Submode) }
	if slices.ContainsFunc(r.entries, rival) {
		r.base = slices.DeleteFunc(slices.Clone(r.entries), rival)
		r.entries = slices.DeleteFunc(r.entries, func(e entry) bool { return !rival(e) })
	}
	kept := map[string]bool{}
	r.entries = slices.DeleteFunc(r.entries, func(e entry) bool {
		p := e.first()
		key := p.Placement + "\x00" + p.Datapath
		again := p.Substitute != "" && kept[key]
		if kept[key] = true; again {
			r.alike = append(r.alike, e.label)
		}
		return again
	})
}

// beside compares the best line with each baseline of the same placement.
func (r *race) beside() (text string) {
	best := &r.entries[0]
	for _, b := range r.base {
		if b.mark == nil || b.first().Placement != best.first().Placement {
			continue
		}
		e := weigh(r.by.Of, best.mark, b.mark, 1)
		it := "It has"
		if !r.by.Higher {
			it = "Its latency is"
		}
		text += fmt.Sprintf(" %s %s times that of %s, the baseline %s.", it,
			numfmt.Digits3(e.ratio.Estimate), b.label, e.sure())
	}
	if len(r.alike) > 0 {
		text += fmt.Sprintf(" Not compared, since the same stand-in forwarded: %s.",
			joined(r.alike))
	}
	return text
}
