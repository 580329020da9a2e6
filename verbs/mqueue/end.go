package mqueue

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// End is one end of a lane. It serves one goroutine.
type End struct {
	shape  Shape
	facts  Facts
	device verbs.Device
	asks   bool
	owner  bool // of the memory that the peer reads or writes

	sent, received uint64 // the last message sent, and the last one handed out
	out            outbound
	in             inbound
	counts         Counts

	queue
	channel *sidechannel.Channel
	gone    atomic.Pointer[error] // the peer has ended
	watched chan struct{}
	err     error // the first one
	closed  bool
}

// Message is one message.
type Message struct {
	Bytes []byte
	Code  uint8 // the sender's
}

// outbound sends messages. Their numbers rise by one.
type outbound interface {
	// room returns the room for a message, or nil while its last use is not over.
	room(n uint64) []byte
	send(n uint64, bytes int, code uint8) error
	// done handles the completion of a work request of the kind that belongs to it.
	done(kind completion, n uint64) error
	close() error
}

// inbound receives messages.
type inbound interface {
	// look returns message n, if it is there.
	look(n uint64) (m Message, there bool, err error)
	// fetch moves messages from n on that the peer announces. wanted is the last number that may
	// come now.
	fetch(n, wanted uint64) error
	done(kind completion, n uint64) error
	close() error
}

// Facts describe the lane.
func (e *End) Facts() Facts { return e.facts }

// Counts returns the counters since the lane was connected.
func (e *End) Counts() Counts { return e.counts }

// Unanswered is the number of requests without an answer that was handed out.
func (e *End) Unanswered() int {
	if e.asks {
		return int(e.sent - e.received)
	}
	return int(e.received - e.sent)
}

// Slot returns the room for the next message, or nil if it cannot be sent now: an asker has as many
// requests without an answer as there are slots, and an answerer has answered all that it received.
// The room stays the caller's until Send.
func (e *End) Slot() []byte {
	if e.err != nil || e.asks && e.Unanswered() == e.shape.Slots || !e.asks && e.Unanswered() == 0 {
		return nil
	}
	return e.out.room(e.sent + 1)
}

// Send sends the first bytes of Slot. code is for the receiver.
func (e *End) Send(bytes int, code uint8) error {
	if e.err != nil {
		return e.err
	}
	if bytes < 0 || bytes > e.shape.SlotBytes {
		return fmt.Errorf("lane: found a message of %d bytes, allowed: at most %d", bytes,
			e.shape.SlotBytes)
	}
	e.sent++
	e.counts.Sent++
	e.counts.SentBytes += uint64(bytes)
	return e.fail(e.out.send(e.sent, bytes, code))
}

// Receive returns the next message, if it is there. Its bytes are valid until this end sends: for
// an asker any request, for an answerer the answer to this message.
func (e *End) Receive() (m Message, there bool, err error) {
	if e.err != nil {
		return m, false, e.err
	}
	if e.asks && e.received == e.sent {
		return m, false, nil
	}
	m, there, err = e.in.look(e.received + 1)
	if err != nil {
		return m, false, e.fail(err)
	}
	if !there {
		return m, false, nil
	}
	if !e.asks && e.Unanswered() == e.shape.Slots {
		return Message{}, false, e.fail(fmt.Errorf("lane: found more than %d requests without an "+
			"answer: the peer does not wait for answers", e.shape.Slots))
	}
	e.received++
	e.counts.Received++
	e.counts.ReceivedBytes += uint64(len(m.Bytes))
	return m, true, nil
}

// Poll moves what can be moved without waiting. It reports whether the device had work.
func (e *End) Poll() (moved bool, err error) {
	if e.err != nil {
		return false, e.err
	}
	if gone := e.gone.Load(); gone != nil {
		return false, e.fail(*gone)
	}
	if moved, err = e.device.Progress(); err != nil {
		return moved, e.fail(err)
	}
	if err := e.complete(e); err != nil {
		return moved, e.fail(err)
	}
	wanted := e.sent
	if !e.asks {
		wanted = e.sent + uint64(e.shape.Slots)
	}
	if err := e.in.fetch(e.received+1, wanted); err != nil {
		return moved, e.fail(err)
	}
	return moved, nil
}

// finished hands a completion to the direction that it belongs to.
func (e *End) finished(kind completion, n uint64) error {
	if kind == fetched {
		return e.in.done(kind, n)
	}
	return e.out.done(kind, n)
}

// fail makes an error the end's. If the peer has ended, that is the reason.
func (e *End) fail(err error) error {
	if err == nil || e.err != nil {
		return errors.Join(e.err)
	}
	if gone := e.gone.Load(); gone != nil && *gone != err {
		err = fmt.Errorf("%w (%w)", *gone, err)
	}
	e.err = err
	return err
}

// farewell is what an end says last.
type farewell struct {
	Error string `json:"error"`
}

// CloseFor closes the end, and tells the peer why.
func (e *End) CloseFor(why error) error {
	if why != nil && !e.closed {
		e.channel.SetTimeout(time.Second)
		_ = e.channel.Send(farewell{why.Error()}) // the peer may be gone
	}
	return e.Close()
}

// Close frees the end.
func (e *End) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	if e.err == nil {
		e.err = verbs.ErrClosed
	}
	err := e.channel.Close()
	if e.watched != nil {
		<-e.watched
	}
	err = errors.Join(err, e.queue.close())
	for _, d := range []interface{ close() error }{e.in, e.out} {
		if d != nil {
			err = errors.Join(err, d.close())
		}
	}
	return errors.Join(err, e.closePD())
}
