package litmus

import "slices"

// order is the order that a thread's instructions keep among themselves, regardless of other
// threads: dependencies, acquire and release. feeds are the dependencies by address and value
// alone.
func (p Program) order(events []event) (ordered, feeds relation) {
	ordered, feeds = make(relation, len(events)), make(relation, len(events))
	for i := range events {
		for j := range events {
			a, b := &events[i], &events[j]
			if a.thread < 0 || !a.before(b) {
				continue
			}
			acquire, release := a.ordered && a.kind == load, b.ordered && b.kind == store
			releaseThenAcquire := a.ordered && a.kind == store && b.ordered && b.kind == load
			if acquire || release || releaseThenAcquire || p.decides(a, b) {
				ordered.add(i, j)
			}
			if a.kind == load && (b.address == a.register || b.source == i) {
				ordered.add(i, j)
				feeds.add(i, j)
			}
		}
	}
	return ordered, feeds
}

// decides reports whether b is a store behind a branch on the value that a loaded, or behind an
// access whose address a gave.
func (p Program) decides(a, b *event) bool {
	return a.kind == load && b.kind == store &&
		slices.ContainsFunc(p[a.thread][a.at:b.at], func(between Instruction) bool {
			return between.kind == branch && between.register == a.register ||
				between.address == a.register
		})
}

// happens checks the chosen execution against the axioms.
func (s *search) happens() bool {
	internal, external := slices.Clone(s.local), slices.Clone(s.ordered)
	sees := func(a, b int) { // a precedes b because of the values that they see
		internal.add(a, b)
		if s.events[a].thread != s.events[b].thread {
			external.add(a, b)
		}
	}
	for _, stores := range s.coherent {
		for i, w := range stores {
			for _, later := range stores[i+1:] {
				sees(w, later)
				s.follow(external, w, later)
			}
		}
	}
	for _, l := range s.loads {
		from := s.from[l]
		sees(from, l)
		s.follow(external, from, l)
		place := s.coherent[slices.IndexFunc(s.coherent, func(stores []int) bool {
			return slices.Contains(stores, from)
		})]
		for _, later := range place[slices.Index(place, from)+1:] {
			sees(l, later)
		}
	}
	return internal.acyclic() && external.acyclic()
}

// follow extends the order of a store to later accesses of the same thread to its location: a load
// that the store serves, and a later store. Such an access waits for everything that the store
// waits for.
func (s *search) follow(external relation, w, after int) {
	if s.events[w].thread != s.events[after].thread {
		return
	}
	for r := range s.feeds {
		if s.feeds[r]>>w&1 != 0 {
			external.add(r, after)
		}
	}
}

// outcome follows the values. It terminates, because happens allows no cycle through values.
func (s *search) outcome() Outcome {
	var value func(e int) int
	value = func(e int) int {
		switch {
		case s.events[e].kind == load:
			return value(s.from[e])
		case s.events[e].source >= 0:
			return value(s.events[e].source)
		}
		return s.events[e].value
	}
	found := Outcome{}
	for _, l := range s.loads {
		found[s.events[l].register] = value(l)
	}
	for _, stores := range s.coherent {
		last := stores[len(stores)-1]
		found[s.events[last].location] = value(last)
	}
	return found
}
