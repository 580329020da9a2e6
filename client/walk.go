package client

import "math"

// times are those of one thread's groups. Earlier queries change no answer, only its cost: a step
// for each group since the last query, or all steps from the start for an earlier group.
type times interface {
	// at returns the time of a group.
	at(group uint64) int64
	// due returns the number of groups whose time has come.
	due(elapsedNs int64) uint64
}

// stepper goes on to the next group in a state, which decides all times that follow.
type stepper[S any] interface {
	*S
	// next returns the group's time, which never falls. It is neverNs if there is no further group.
	next() int64
}

// walk steps through times that never fall.
type walk[S any, P stepper[S]] struct {
	start   moment[S] // the first group
	last    moment[S] // whose time was asked for last
	coming  moment[S] // the first that is not due at askedNs
	askedNs int64
}

// moment is a group's time, with what follows it.
type moment[S any] struct {
	group uint64
	ns    int64
	then  S
}

func newWalk[S any, P stepper[S]](begin S) *walk[S, P] {
	w := &walk[S, P]{start: moment[S]{then: begin}, askedNs: math.MinInt64}
	w.start.ns = P(&w.start.then).next()
	w.last, w.coming = w.start, w.start
	return w
}

func (w *walk[S, P]) step(m *moment[S]) {
	m.group++
	m.ns = P(&m.then).next()
}

func (w *walk[S, P]) at(group uint64) int64 {
	if group < w.last.group {
		w.last = w.start
	}
	for w.last.group < group && w.last.ns < neverNs {
		w.step(&w.last)
	}
	return w.last.ns
}

func (w *walk[S, P]) due(elapsedNs int64) uint64 {
	if elapsedNs < w.askedNs {
		w.coming = w.start
	}
	w.askedNs = elapsedNs
	for w.coming.ns <= elapsedNs && w.coming.ns < neverNs {
		w.step(&w.coming)
	}
	return w.coming.group
}
