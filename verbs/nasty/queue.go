package nasty

import (
	"errors"
	"fmt"
	"slices"

	"dpukv/verbs"
)

// earlyBytes is the longest payload that is read when it is posted, with late=0.
const earlyBytes = 4 << 10

// named is a queue pair whose endpoint names the device.
type named struct {
	verbs.QP
	device *Device
}

func (q named) Local() verbs.Endpoint {
	e := q.QP.Local()
	e.Device = q.device.Info()
	return e
}

// queue is a queue pair.
type queue struct {
	named
	flight *Flight
	depth  int // of the send queue
	whole  []*Message
	paused int // turns
	// Early payload is copied into entries of room bytes, one for each work request in turn.
	staging verbs.MR
	room    int
	posted  int
}

// PostSend takes work requests. They take effect later.
func (q *queue) PostSend(wrs []verbs.SendWR) (int, error) {
	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return 0, d.failure
	}
	for i := range wrs {
		if len(q.flight.messages)+len(q.whole) == q.depth {
			if err := q.turn(); err != nil {
				return i, err
			}
		}
		if len(q.flight.messages)+len(q.whole) == q.depth {
			return i, verbs.ErrQueueFull
		}
		wr := wrs[i]
		if err := q.stage(&wr); err != nil {
			return i, err
		}
		q.flight.Add(wr)
	}
	if d.config.Manual {
		return len(wrs), nil
	}
	return len(wrs), q.turn()
}

// stage copies payload that is read when it is posted.
func (q *queue) stage(wr *verbs.SendWR) error {
	n := int(wr.Local.Length)
	inline := wr.Flags&verbs.Inline != 0
	if n == 0 || wr.Op == verbs.OpRead || !inline && (!q.device.config.Early || n > q.room) {
		return nil
	}
	from := q.device.regions[wr.Local.LKey]
	if from == nil || wr.Local.Addr < from.Addr() ||
		wr.Local.Addr-from.Addr() > uint64(len(from.Bytes())-n) || n > q.room {
		return fmt.Errorf("nasty: found %d bytes at %#x of key %#x, allowed: at most %d of a "+
			"region of this device", n, wr.Local.Addr, wr.Local.LKey, q.room)
	}
	at := q.posted % (q.depth + 1) * q.room
	q.posted++
	copy(q.staging.Bytes()[at:at+q.room], from.Bytes()[wr.Local.Addr-from.Addr():][:n])
	wr.Local.Addr, wr.Local.LKey = q.staging.Addr()+uint64(at), q.staging.LKey()
	return nil
}

// turn gives pieces effect until the queue pair pauses, or nothing is left.
func (q *queue) turn() error {
	if q.device.config.Manual {
		return nil
	}
	if q.paused > 0 {
		q.paused--
		return nil
	}
	for q.flight.Oldest() != nil || len(q.whole) > 0 {
		if err := q.complete(); err != nil {
			return unlessFull(err)
		}
		if q.flight.Oldest() == nil {
			break
		}
		m, piece := q.flight.Draw()
		if err := q.place(m, piece); err != nil {
			return unlessFull(err)
		}
		if q.paused = q.flight.pauses(m); q.paused > 0 {
			break
		}
	}
	return nil
}

func unlessFull(err error) error {
	if errors.Is(err, verbs.ErrQueueFull) {
		return nil
	}
	return err
}

// place gives a piece of a message effect.
func (q *queue) place(m *Message, piece int) error {
	p := m.Pieces[piece]
	wr := m.WR
	if m.cut {
		wr.Flags &^= verbs.Signaled
	}
	wr.Local.Addr += uint64(p.At)
	wr.Remote += uint64(p.At)
	wr.Local.Length = p.Bytes
	if n, err := q.QP.PostSend([]verbs.SendWR{wr}); err != nil || n != 1 {
		return fmt.Errorf("nasty: place %d bytes of a message: %w", p.Bytes, err)
	}
	q.whole = append(q.whole, q.flight.Remove(m, piece)...)
	return unlessFull(q.complete())
}

// complete posts the completions of cut messages that have taken effect: empty messages.
func (q *queue) complete() error {
	for len(q.whole) > 0 {
		wr := q.whole[0].WR
		if q.whole[0].cut && wr.Flags&verbs.Signaled != 0 {
			wr.Local.Length = 0
			if n, err := q.QP.PostSend([]verbs.SendWR{wr}); err != nil || n != 1 {
				return fmt.Errorf("nasty: complete a message: %w", err)
			}
		}
		q.whole = q.whole[1:]
	}
	return nil
}

func (q *queue) Close() error {
	d := q.device
	d.mu.Lock()
	d.queues = slices.DeleteFunc(d.queues, func(x *queue) bool { return x == q })
	d.mu.Unlock()
	err := q.QP.Close()
	if q.staging != nil {
		err = errors.Join(err, q.staging.Close())
	}
	return err
}
