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

// sends gathers work requests into lists and keeps count of the queue's room.
type sends struct {
	qp     verbs.QP
	cq     verbs.CQ
	device verbs.Device
	wrs    []verbs.SendWR
	depth  uint64
	// Counts of work requests: posted, and known to be completed because a signaled one behind them is.
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
	for len(list) > 0 {
		if err := s.makeRoom(uint64(len(list))); err != nil {
			return err
		}
		n, err := s.qp.PostSend(list)
		s.posted += uint64(n)
		list = list[n:]
		if err != nil && !errors.Is(err, verbs.ErrQueueFull) {
			return fmt.Errorf("post %d sends: %w", len(list), err)
		}
	}
	return nil
}

// sign asks for a completion of every so many work requests. Their ID is how many have completed with them.
func (s *sends) sign(wr *verbs.SendWR) {
	s.signed++
	if s.signed%signalEvery == 0 {
		wr.Flags |= verbs.Signaled
		wr.ID = s.signed
	}
}

// signLast asks for a completion of the list gathered.
func (s *sends) signLast() {
	wr := &s.wrs[len(s.wrs)-1]
	wr.Flags |= verbs.Signaled
	wr.ID = s.signed
}

// makeRoom waits until n more work requests fit.
func (s *sends) makeRoom(n uint64) error {
	return s.await(s.posted + n - min(s.depth, s.posted+n))
}

// await waits until the first count work requests have completed.
func (s *sends) await(count uint64) error {
	var deadline time.Time
	for s.completed < count {
		n, err := s.cq.Poll(s.wcs[:])
		if err != nil {
			return err
		}
		for i := range s.wcs[:n] {
			wc := &s.wcs[i]
			if wc.Status != verbs.StatusSuccess {
				return fmt.Errorf("a send completed with: %s", wc.Status)
			}
			s.completed = max(s.completed, wc.ID)
		}
		if n > 0 {
			continue
		}
		if _, err := s.device.Progress(); err != nil {
			return err
		}
		if now := time.Now(); deadline.IsZero() {
			deadline = now.Add(stuckAfter)
		} else if now.After(deadline) {
			return fmt.Errorf("%d sends do not complete within %v", s.posted-s.completed, stuckAfter)
		}
	}
	return nil
}
