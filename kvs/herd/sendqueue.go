package herd

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
)

const (
	// sendDepth is that of a worker's send queue: answers posted and not known to have left.
	sendDepth = 4 * passOps
	// signalEvery is how many sends share a completion.
	signalEvery = 32
	// outRounds is how many passes' values are kept, for a device that reads them after
	// PostSend has returned. Two passes of full lists fill half of the queue.
	outRounds = 4
	// stuckAfter is when a queue that takes nothing more is given up.
	stuckAfter = 5 * time.Second
)

// A work request's ID has in its low half whose it is, and in the other the low half of its number:
// as many have completed with it.
const (
	whoseBits = 32
	whoseMask = 1<<whoseBits - 1
)

// sends gathers work requests into lists and keeps count of the queue's room.
type sends struct {
	qp     verbs.QP
	cq     verbs.CQ
	device verbs.Device
	wrs    []verbs.SendWR
	depth  uint64
	// sendFailed hears of a work request that failed by itself, and why. It is false where that is
	// the end of all. nil: it always is.
	sendFailed func(whose uint32, why error) bool
	// sink is where a work request goes instead that the device does not take.
	sink *verbs.SendWR
	// Counts of work requests: posted, and known to be completed because a signaled one behind them
	// is.
	signed, posted, completed uint64
	wcs                       [16]verbs.WC
}

// flush posts what was gathered.
func (s *sends) flush() error {
	err := s.send(s.wrs)
	s.wrs = s.wrs[:0]
	return err
}

// send posts a list whose work requests were signed in this order.
func (s *sends) send(list []verbs.SendWR) error {
	var full time.Time // until when the device may take nothing
	for len(list) > 0 {
		if err := s.makeRoom(uint64(len(list))); err != nil {
			return err
		}
		n, err := s.qp.PostSend(list)
		s.posted += uint64(n)
		list = list[n:]
		switch {
		case err == nil:
		case errors.Is(err, verbs.ErrQueueFull):
			if n > 0 {
				full = time.Time{}
			} else if err := s.turn(&full); err != nil {
				return err
			}
		case len(list) == 0 || !s.divert(&list[0], err):
			return fmt.Errorf("post %d sends: %w", len(list), err)
		}
	}
	return nil
}

// divert has a work request that was not taken go to the sink, so that its completion, which also
// speaks for others, comes nevertheless. It is false where there is no hope.
func (s *sends) divert(wr *verbs.SendWR, why error) bool {
	if s.sink == nil || wr.AH == s.sink.AH || errors.Is(why, verbs.ErrClosed) ||
		!s.sendFailed(whose(wr.ID), why) {
		return false
	}
	id, flags := wr.ID, wr.Flags
	*wr = *s.sink
	wr.ID, wr.Flags = id&^whoseMask, flags
	return true
}

func whose(id uint64) uint32 { return uint32(id & whoseMask) }

// sign numbers a work request, and asks for a completion of every so many.
func (s *sends) sign(wr *verbs.SendWR) {
	s.signed++
	wr.ID |= s.signed << whoseBits
	if s.signed%signalEvery == 0 {
		wr.Flags |= verbs.Signaled
	}
}

// signLast asks for a completion of the list gathered.
func (s *sends) signLast() { s.wrs[len(s.wrs)-1].Flags |= verbs.Signaled }

// makeRoom waits until n more work requests fit.
func (s *sends) makeRoom(n uint64) error {
	return s.await(s.posted + n - min(s.depth, s.posted+n))
}

// await waits until the first count work requests have completed.
func (s *sends) await(count uint64) error {
	var deadline time.Time
	for s.completed < count {
		if err := s.turn(&deadline); err != nil {
			return err
		}
	}
	return nil
}

// turn looks for completions once. Without any until the deadline, which the first turn without one
// sets, the queue is stuck.
func (s *sends) turn(deadline *time.Time) error {
	n, err := s.cq.Poll(s.wcs[:])
	if err != nil {
		return err
	}
	for i := range s.wcs[:n] {
		if err := s.completes(&s.wcs[i]); err != nil {
			return err
		}
	}
	if n > 0 {
		*deadline = time.Time{}
		return nil
	}
	if _, err := s.device.Progress(); err != nil {
		return err
	}
	if now := time.Now(); deadline.IsZero() {
		*deadline = now.Add(stuckAfter)
	} else if now.After(*deadline) {
		return fmt.Errorf("%d sends do not complete within %v", s.posted-s.completed, stuckAfter)
	}
	return nil
}

// completes counts a completion. One that failed is that of one work request, but for a flushed
// one: then the whole queue has ended.
func (s *sends) completes(wc *verbs.WC) error {
	if more := int32(uint32(wc.ID>>whoseBits) - uint32(s.completed)); more > 0 {
		s.completed += uint64(more)
	}
	if wc.Status == verbs.StatusSuccess {
		return nil
	}
	why := fmt.Errorf("a send completed with: %s", wc.Status)
	if wc.Status == verbs.StatusFlushed || s.sendFailed == nil || !s.sendFailed(whose(wc.ID), why) {
		return why
	}
	return nil
}
