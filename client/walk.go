package client

import "math"

// walk steps through the times of one thread's groups, which never fall. Earlier queries change
// no answer, only its cost: a step for each group since the last query, or all steps from the start
// for an earlier group.
type walk struct {
	// begin returns the function that returns the time of each group in turn. That is neverNs if
	// there is no further group.
	begin   func() (next func() int64)
	last    moment // whose time was asked for last
	coming  moment // the first that is not due at askedNs
	askedNs int64
}

// moment is a group's time, with those that follow it.
type moment struct {
	group uint64
	ns    int64
	next  func() int64
}

func newWalk(begin func() func() int64) *walk {
	w := &walk{begin: begin, askedNs: math.MinInt64}
	w.last, w.coming = w.first(), w.first()
	return w
}

func (w *walk) first() moment {
	next := w.begin()
	return moment{ns: next(), next: next}
}

func (m *moment) step() { m.group, m.ns = m.group+1, m.next() }

// at returns the time of a group.
func (w *walk) at(group uint64) int64 {
	if group < w.last.group {
		w.last = w.first()
	}
	for w.last.group < group && w.last.ns < neverNs {
		w.last.step()
	}
	return w.last.ns
}

// due returns the number of groups whose time has come.
func (w *walk) due(elapsedNs int64) uint64 {
	if elapsedNs < w.askedNs {
		w.coming = w.first()
	}
	w.askedNs = elapsedNs
	for w.coming.ns <= elapsedNs && w.coming.ns < neverNs {
		w.coming.step()
	}
	return w.coming.group
}
