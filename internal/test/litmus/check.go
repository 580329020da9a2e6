package litmus

import (
	"math/bits"
	"slices"
)

// relation has for each event the set of the events after it.
type relation []uint64

func (r relation) add(from, to int) { r[from] |= 1 << to }

// acyclic removes events without a remaining predecessor until there are none.
func (r relation) acyclic() bool {
	for left := uint64(1)<<len(r) - 1; left != 0; {
		after := uint64(0)
		for rest := left; rest != 0; rest &= rest - 1 {
			after |= r[bits.TrailingZeros64(rest)]
		}
		if left&^after == 0 {
			return false
		}
		left &= after
	}
	return true
}

// search goes through all executions of a program.
type search struct {
	events   []event
	local    relation // program order to one location
	ordered  relation // dependencies and order within threads
	feeds    relation // from loads to the stores whose address or value they give
	loads    []int    // those with a choice
	stores   [][]int  // by event: all stores to its location, the initial one first
	from     []int    // by load: the store that it reads from
	coherent [][]int  // the order of stores, a list a location, the initial one first
	allows   func(Outcome) bool
}

// Allows reports whether an execution that can happen has a matching outcome.
func (p Program) Allows(outcome func(Outcome) bool) bool {
	s := newSearch(p)
	s.allows = outcome
	return s.chooseSource(0)
}

func newSearch(p Program) *search {
	events := p.events()
	n := len(events)
	s := &search{
		events: events, local: make(relation, n), stores: make([][]int, n),
		from: make([]int, n),
	}
	s.ordered, s.feeds = p.order(events)
	for i := range events {
		for j := range events {
			a, b := &events[i], &events[j]
			if a.location != b.location {
				continue
			}
			if b.kind == store {
				s.stores[i] = append(s.stores[i], j)
			}
			if a.before(b) {
				s.local.add(i, j)
			}
		}
		if events[i].kind == load {
			s.loads = append(s.loads, i)
		}
		if events[i].thread < 0 {
			s.coherent = append(s.coherent, []int{i})
		}
	}
	return s
}

// before is program order.
func (e *event) before(later *event) bool { return e.thread == later.thread && e.at < later.at }

// chooseSource tries every store for the loads from number i on.
func (s *search) chooseSource(i int) bool {
	if i == len(s.loads) {
		return s.chooseOrder(0)
	}
	l := s.loads[i]
	for _, w := range s.stores[l] {
		s.from[l] = w
		if s.chooseSource(i + 1) {
			return true
		}
	}
	return false
}

// chooseOrder tries every order of the stores to the locations from number i on.
func (s *search) chooseOrder(i int) bool {
	if i == len(s.coherent) {
		return s.happens() && s.allows(s.outcome())
	}
	placed := s.coherent[i]
	if len(placed) == len(s.stores[placed[0]]) {
		return s.chooseOrder(i + 1)
	}
	for _, w := range s.stores[placed[0]] {
		if slices.Contains(placed, w) {
			continue
		}
		s.coherent[i] = append(slices.Clip(placed), w)
		if s.chooseOrder(i) {
			return true
		}
	}
	s.coherent[i] = placed
	return false
}
