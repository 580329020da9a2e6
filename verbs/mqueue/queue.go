package mqueue

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
)

// queue is the queue pair of an end.
type queue struct {
	pd            verbs.PD
	cq            verbs.CQ
	qp            verbs.QP
	dev           verbs.Device
	begun         time.Time
	posted        int // signaled work requests without a completion
	wcs           [16]verbs.WC
	wrs           []verbs.SendWR // the list to post
	reads, writes uint64
}

// completion is the kind of a signaled work request.
type completion uint8

const (
	written completion = 1 + iota // a WRITE of message n, and those before it
	fence                         // the READ behind message n
	fetched                       // the READ of control words
)

const kindShift = 56

func idOf(kind completion, n uint64) uint64 { return uint64(kind)<<kindShift | n&(1<<kindShift-1) }

// depth is the number of work requests that a lane has in its queue at most: WRITEs of messages and
// of fenced control words with their READs, and the READs of messages.
func depth(s *Shape) int { return 4*stagingLaps*s.Slots + 2*maxFetch + 8 }

func newQueue(dev verbs.Device, s *Shape) (q queue, err error) {
	q = queue{dev: dev, begun: time.Now(), wrs: make([]verbs.SendWR, 0, maxFetch+1)}
	if q.pd, err = dev.AllocPD(); err != nil {
		return q, err
	}
	if q.cq, err = dev.CreateCQ(depth(s)); err != nil {
		return q, errors.Join(err, q.close(), q.closePD())
	}
	q.qp, err = q.pd.CreateQP(verbs.QPConfig{
		Type: verbs.RC, SendCQ: q.cq, RecvCQ: q.cq, MaxSend: depth(s),
	})
	if err != nil {
		err = errors.Join(err, q.close(), q.closePD())
	}
	return q, err
}

// post posts the list.
func (q *queue) post() error {
	for i := range q.wrs {
		if q.wrs[i].Flags&verbs.Signaled != 0 {
			q.posted++
		}
		if q.wrs[i].Op == verbs.OpRead {
			q.reads++
		} else {
			q.writes++
		}
	}
	_, err := q.qp.PostSend(q.wrs)
	q.wrs = q.wrs[:0]
	return verbs.Explain(err, q.dev, q.begun)
}

// complete polls completions.
func (q *queue) complete(e *End) error {
	if q.posted == 0 {
		return nil
	}
	n, err := q.cq.Poll(q.wcs[:])
	if err != nil {
		return verbs.Explain(err, q.dev, q.begun)
	}
	for i := range q.wcs[:n] {
		wc := &q.wcs[i]
		if wc.Status != verbs.StatusSuccess {
			return verbs.Explain(fmt.Errorf("lane: %s failed: %s", kindName(wc.ID), wc.Status),
				q.dev, q.begun)
		}
		q.posted--
		if err := e.finished(completion(wc.ID>>kindShift), wc.ID&(1<<kindShift-1)); err != nil {
			return err
		}
	}
	e.counts.Reads, e.counts.Writes = q.reads, q.writes
	return nil
}

func kindName(id uint64) string {
	if completion(id>>kindShift) == written {
		return "a WRITE of messages"
	}
	return "a READ of messages"
}

// close closes the queue pair, so that the memory regions can go.
func (q *queue) close() (err error) {
	if q.qp != nil {
		err = q.qp.Close()
	}
	if q.cq != nil {
		err = errors.Join(err, q.cq.Close())
	}
	q.qp, q.cq = nil, nil
	return err
}

func (q *queue) closePD() (err error) {
	if q.pd != nil {
		err = q.pd.Close()
	}
	q.pd = nil
	return err
}
