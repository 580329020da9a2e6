package quota

import (
	"math"
	"sync/atomic"
)

const (
	portions   = 1000 // of a thread's fair share
	maxPortion = 1024
)

// Quota is the number of operations of a measurement.
type Quota struct {
	rest    atomic.Int64 // that no thread has taken; below 0 where a portion exceeded the rest
	portion int64
	open    bool
	busy    atomic.Int64 // threads that have operations left, or unanswered
	lastNs  atomic.Int64
	over    chan struct{}
}

// New returns the quota of some threads. Each of them needs a [Share].
func New(operations, threads int) *Quota {
	q := &Quota{over: make(chan struct{})}
	q.portion = min(max(int64(operations/(threads*portions)), 1), maxPortion)
	q.rest.Store(int64(operations))
	q.busy.Store(int64(threads))
	return q
}

// NewOpen returns the quota of some threads that each end by themselves, with [Share.Done].
func NewOpen(threads int) *Quota {
	q := New(0, threads)
	q.open = true
	return q
}

// Over is closed once all operations are answered.
func (q *Quota) Over() <-chan struct{} { return q.over }

// LastNs returns the time of the last answer, or 0 before the quota is over.
func (q *Quota) LastNs() int64 {
	if q.busy.Load() > 0 {
		return 0
	}
	return q.lastNs.Load()
}

// Share is the part of one thread. Only that thread uses it.
type Share struct {
	of         *Quota
	left       int64 // of the current portion
	unanswered int64
	lastNs     int64
	ended      bool
}

// Share returns the share of a further thread.
func (q *Quota) Share() *Share {
	s := &Share{of: q}
	if q.open {
		s.left = math.MaxInt64
	}
	return s
}

// Done says that the thread takes no further operation.
func (s *Share) Done() { s.left = 0 }

// Next takes one operation. It returns false if there is none left.
func (s *Share) Next() bool {
	if s.left == 0 && !s.refill() {
		return false
	}
	s.left--
	s.unanswered++
	return true
}

func (s *Share) refill() bool {
	if s.of.rest.Load() <= 0 {
		return false
	}
	rest := s.of.rest.Add(-s.of.portion)
	s.left = max(s.of.portion+min(rest, 0), 0)
	return s.left > 0
}

// Answered notes the answers to n operations taken.
func (s *Share) Answered(n, atNs int64) {
	s.unanswered -= n
	s.lastNs = max(s.lastNs, atNs)
}

// Over reports whether the operations of all threads are answered. Each thread asks now and then.
func (s *Share) Over() bool {
	if !s.ended && s.left == 0 && s.unanswered <= 0 && s.of.rest.Load() <= 0 {
		s.end()
	}
	return s.of.busy.Load() == 0
}

// LastNs is [Quota.LastNs].
func (s *Share) LastNs() int64 { return s.of.LastNs() }

func (s *Share) end() {
	s.ended = true
	for {
		last := s.of.lastNs.Load()
		if s.lastNs <= last || s.of.lastNs.CompareAndSwap(last, s.lastNs) {
			break
		}
	}
	if s.of.busy.Add(-1) == 0 {
		close(s.of.over)
	}
}
