package herd

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
)

const (
	// sendDepth is the depth of a worker's send queue: posted answers that may not have left yet.
	sendDepth = 4 * passOps
	// signalEvery is the number of sends per completion.
	signalEvery = 32
	// outRounds is the number of passes whose values are kept, for a device that reads them after
	// PostSend has returned. Two passes of full lists fill half of the queue.
	outRounds = 4
	// stuckAfter is the time after which a full queue without completions counts as stuck.
	stuckAfter = 5 * time.Second
)

// The low half of a work request's ID names its client. The high half is the low half of its
// number: so many have completed with it.
const (
	whoseBits = 32
	whoseMask = 1<<whoseBits - 1
)

// sends gathers work requests into lists and tracks the queue's free room.
type sends struct {
	qp     verbs.QP
	cq     verbs.CQ
	device verbs.Device
	wrs    []verbs.SendWR
	depth  uint64
	// sendFailed receives the client and the reason of a failed work request. It returns false if
	// the whole queue must end. nil: it always must.
	sendFailed func(whose uint32, why error) bool
	// sink replaces a work request that the device does not take.
	sink *verbs.SendWR
	// These count work requests: numbered, posted, and completed because a signaled one behind them
	// is.
	signed, posted, completed uint64
	wcs                       [16]verbs.WC
}

// flush posts the gathered work requests.
func (s *sends) flush() error {
	err := s.send(s.wrs)
	s.wrs = s.wrs[:0]
	return err
}

// send posts a list. Its work requests were signed in this order.
func (s *sends) send(list []verbs.SendWR) error {
	var full time.Time // deadline of a device that takes nothing
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

// divert sends a refused work request to the sink. Its completion, which also stands for earlier
// ones, therefore still comes. It returns false if the queue must end.
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

// sign numbers a work request, and requests a completion for one in signalEvery.
func (s *sends) sign(wr *verbs.SendWR) {
	s.signed++
	wr.ID |= s.signed << whoseBits
	if s.signed%signalEvery == 0 {
		wr.Flags |= verbs.Signaled
	}
}

// signLast requests a completion for the gathered list.
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

// turn looks for completions once. The first turn without one sets the deadline. The queue is stuck
// if none comes until then.
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
		return fmt.Errorf("%d sends did not complete within %v", s.posted-s.completed, stuckAfter)
	}
	return nil
}

// completes counts a completion. A failed completion concerns one work request, unless it was
// flushed: then the whole queue has ended.
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
