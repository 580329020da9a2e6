package perf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
)

// stream is the client's side of a bandwidth test.
func (e *end) stream(bytes int) (*marks, error) {
	for _, p := range e.pairs {
		p.prepare(e.cfg.Op, bytes)
	}
	if err := e.barrier(); err != nil {
		return nil, err
	}
	s := &streamer{
		end: e, start: time.Now(), marks: newMarks(), posted: make([]int, len(e.pairs)),
	}
	if s.cfg.Warmup == 0 {
		s.begin()
	}
	for s.open() {
		if err := s.turnOnce(); err != nil {
			return nil, err
		}
		if !s.warm && time.Since(s.start) >= s.cfg.Warmup {
			s.begin()
		}
	}
	return s.marks, nil
}

// begin ends the warm-up. Messages of it that complete later count.
func (s *streamer) begin() {
	s.warm, s.start = true, time.Now()
	s.marks.restart(s.complete)
	s.began()
}

// streamer is a running bandwidth test.
type streamer struct {
	*end
	start    time.Time // of the warm-up, then of the measurement
	posted   []int     // messages of each pair
	complete int
	ended    bool // no pair posts any more
	warm     bool // the warm-up is over
	marks    *marks
}

// open reports whether anything is left to post or to complete.
func (s *streamer) open() bool {
	if !s.ended {
		return true
	}
	for _, p := range s.pairs {
		if p.outstanding > 0 {
			return true
		}
	}
	return false
}

// turnOnce posts as much as fits, and takes completions.
func (s *streamer) turnOnce() error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if !s.ended {
		if err := s.fill(); err != nil {
			return err
		}
	}
	return s.wait("completion", func() (bool, error) {
		n, err := s.reap()
		if n > 0 {
			s.complete += n
			s.marks.add(mark{time.Since(s.start), s.complete})
		}
		return n > 0 || s.roomy() || !s.open(), err
	})
}

// roomy reports whether a list could be posted.
func (s *streamer) roomy() bool {
	if s.ended {
		return false
	}
	for i, p := range s.pairs {
		if s.left(i) > 0 && p.outstanding+s.cfg.PostList <= s.cfg.TxDepth {
			return true
		}
	}
	return false
}

// fill posts a list on every pair with room for it, in turn.
func (s *streamer) fill() error {
	elapsed := time.Duration(0)
	if s.cfg.Duration > 0 {
		elapsed = time.Since(s.start)
	}
	over, remaining := s.warm && !s.more(0, elapsed), 0
	for i, p := range s.pairs {
		n := min(s.left(i), s.cfg.PostList)
		if n == 0 || p.outstanding+s.cfg.PostList > s.cfg.TxDepth {
			remaining += s.left(i)
			continue
		}
		s.posted[i] += n
		// A full queue without a pending completion would stay full.
		full := p.outstanding+n+s.cfg.PostList > s.cfg.TxDepth
		if err := s.post(p, n, full || over || s.left(i) == 0); err != nil {
			return err
		}
		remaining += s.left(i)
	}
	s.ended = remaining == 0 || over && s.allSignaled()
	return nil
}

// post posts a list. Where the peer has no room for it yet, the rest waits: a device without a
// queue of its own, in shared memory, takes only what the receiver has taken.
func (s *streamer) post(p *pair, n int, last bool) error {
	took, err := p.post(n, s.cfg.CQMod, last)
	if !errors.Is(err, verbs.ErrQueueFull) {
		return err
	}
	left := p.list[took:n]
	return s.wait("room in the peer's queue", func() (bool, error) {
		took, err := p.qp.PostSend(left)
		if left = left[took:]; errors.Is(err, verbs.ErrQueueFull) {
			err = nil
		}
		return len(left) == 0, err
	})
}

// allSignaled reports whether every pair's last message requests a completion.
func (s *streamer) allSignaled() bool {
	for _, p := range s.pairs {
		if p.unsignaled > 0 {
			return false
		}
	}
	return true
}

// left returns how many messages a pair has still to post.
func (s *streamer) left(i int) int {
	if s.cfg.Duration > 0 {
		return s.cfg.PostList
	}
	return s.cfg.Iters - s.posted[i]
}

// drain is the server's side: it keeps receives posted, and counts completed ones.
func (e *end) drain(bytes int) (arrived int, err error) {
	if e.cfg.Op == Send {
		if err := e.restock(); err != nil {
			return 0, err
		}
	}
	if err := e.barrier(); err != nil {
		return 0, err
	}
	step := func() error {
		n, err := e.receive()
		arrived += n
		if n > 0 || err != nil {
			return err
		}
		return e.turn()
	}
	if err := e.awaitEnd(bytes, step); err != nil || e.cfg.Op != Send {
		return arrived, err
	}
	return arrived, e.awaitCompletions(step)
}

// awaitCompletions takes messages that were still on their way when the client had its last
// completion.
func (e *end) awaitCompletions(step func() error) error {
	const quiet = 20 * time.Millisecond
	for deadline := time.Now().Add(quiet); time.Now().Before(deadline); {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// receive takes completions of receives and posts as many new receives.
func (e *end) receive() (int, error) {
	n, err := e.recvCQ.Poll(e.wcs)
	if n == 0 || err != nil {
		return 0, err
	}
	for i := range e.wcs[:n] {
		if s := e.wcs[i].Status; s != verbs.StatusSuccess {
			return 0, fmt.Errorf("receive: %s", s)
		}
		e.pairs[e.wcs[i].ID].stocked--
	}
	return n, e.restock()
}

// restock posts new receives for used ones.
func (e *end) restock() error {
	for _, p := range e.pairs {
		if n := e.cfg.RxDepth - p.stocked; n > 0 {
			if err := p.repost(n); err != nil {
				return err
			}
		}
	}
	return nil
}
