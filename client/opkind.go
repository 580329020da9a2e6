package client

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/results"
)

// opKind tells operations apart by what they were and found.
type opKind int

const (
	getHit opKind = iota
	getMiss
	setDone // or ADD
	deleteDone
	noKind // wrong answers, and operations without an answer
	fillDone
	opKinds
)

// loadKinds are the kinds of the load's own operations: all but fills.
const loadKinds = fillDone

// tags are those of a histogram log; "": the kind has none.
var tags = [opKinds]string{
	getHit: results.TagGetHit, getMiss: results.TagGetMiss, setDone: results.TagSet,
	deleteDone: results.TagDelete,
	fillDone:   results.TagFill,
}

// byKind has a histogram for each kind; nil: there was none yet.
type byKind [opKinds]*hdrhistogram.Histogram

// expected makes the histograms that a load will surely need.
func (c *Config) expected() (h byKind) {
	for kind, needed := range map[opKind]bool{
		getHit: c.GetRatio > 0 || c.Replays(), getMiss: c.MayMiss(), setDone: c.GetRatio < 1,
		fillDone: c.Fills(),
	} {
		if needed {
			h[kind] = results.NewHistogram()
		}
	}
	return h
}

// of returns the histogram of a kind. It allocates for a kind that no load was expected to have.
func (h *byKind) of(kind opKind) *hdrhistogram.Histogram {
	if h[kind] == nil {
		h[kind] = results.NewHistogram()
	}
	return h[kind]
}

func (h *byKind) reset() {
	for _, one := range h {
		if one != nil {
			one.Reset()
		}
	}
}

func (h *byKind) merge(other *byKind) {
	for kind, one := range other {
		h[kind] = mergeInto(h[kind], one)
	}
}

// addTo adds the load's own operations to a sum. Both may be nil, which is empty.
func (h *byKind) addTo(sum *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	for _, one := range h[:loadKinds] {
		sum = mergeInto(sum, one)
	}
	return sum
}

// tell reports whether the kinds tell more than all operations together: there were several, or one
// that the load does not say. Another client of the point may have had others.
func (h *byKind) tell() bool {
	n := 0
	for kind, one := range h {
		if tags[kind] != "" && one != nil && one.TotalCount() > 0 {
			n++
			if kind := opKind(kind); kind != getHit && kind != setDone {
				return true
			}
		}
	}
	return n > 1
}
