package mqueue

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// role is what an end does with requests.
type role uint8

const (
	undecided role = iota // nobody has sent
	requester
	answerer
)

// End is one end of a lane. It belongs to one goroutine.
type End struct {
	shape    Shape
	answers  Answers
	owner    bool
	fenced   bool
	software bool // both devices are emulated
	// placement is what both devices promise together.
	placement verbs.Placement
	role      role
	layout    layout

	channel *sidechannel.Channel
	device  verbs.Device
	pd      verbs.PD
	cq      verbs.CQ
	qp      verbs.QP
	mr      verbs.MR
	memory  []byte
	peer    verbs.Region

	sent, received uint64 // messages: the numbers of the next ones
	writer         writer
	fetcher        fetcher
	wcs            [16]verbs.WC
	gone           atomic.Pointer[error] // why the peer is gone
	watched        chan struct{}
	begun          time.Time
	err            error // ended the lane
	closed         bool
}

// Message is an incoming message.
type Message struct {
	Bytes []byte
	Code  uint16
}

// Slot returns the room for the next message out, of SlotBytes. It stays the caller's until Send.
// Slot returns nil if no slot is free, and for an answerer if no request waits for an answer.
func (e *End) Slot() []byte {
	if !e.free() {
		return nil
	}
	at := e.layout.outStart(e.sent)
	return e.memory[at : at+e.shape.SlotBytes : at+e.shape.SlotBytes]
}

func (e *End) free() bool {
	if e.role == answerer {
		if e.sent == e.received {
			return false
		}
	} else if e.sent-e.received >= uint64(e.shape.Slots) {
		return false
	}
	// The device may still read the slot of the last lap.
	return e.pulled() || e.sent-e.writer.completed < uint64(e.shape.Slots)
}

// pulled reports whether the peer fetches this end's messages.
func (e *End) pulled() bool { return e.owner && e.answers == Read }

// pulls reports whether this end fetches the peer's messages.
func (e *End) pulls() bool { return !e.owner && e.answers == Read }

// Send sends the first n bytes of Slot with a code of the caller. The next Poll moves them.
func (e *End) Send(n int, code uint16) error {
	switch {
	case e.err != nil:
		return e.err
	case n < 0 || n > e.shape.SlotBytes:
		return fmt.Errorf("message of a lane: found %d bytes, allowed: at most %d", n,
			e.shape.SlotBytes)
	case !e.free():
		return errors.New("lane: found no free slot for a message, allowed: to send after Slot " +
			"has returned one")
	}
	if e.role == undecided {
		e.role = requester
	}
	word := makeControl(e.sent, n, code)
	if e.pulled() {
		publish(e.memory, e.layout.control(e.sent), word)
	} else {
		publish(e.memory, e.layout.outStart(e.sent)+padded(n), word)
		e.writer.words[e.layout.slot(e.sent)] = word
	}
	e.sent++
	return nil
}

// Poll moves what can move without waiting. It reports whether messages moved through this end's
// device. The error of a lane that has ended says why: the peer is gone, a message was corrupt, or
// the device failed.
func (e *End) Poll() (moved bool, err error) {
	if e.err != nil {
		return false, e.err
	}
	if why := e.gone.Load(); why != nil {
		return false, e.fail(*why)
	}
	if _, err := e.device.Progress(); err != nil {
		return false, e.fail(err)
	}
	fetched := e.fetcher.fetched
	for more := true; more; {
		wrote, err := e.post()
		if err == nil {
			more, err = e.reap()
		}
		if err != nil {
			return false, e.fail(err)
		}
		moved = moved || wrote
	}
	return moved || e.fetcher.fetched != fetched, nil
}

// fail ends the lane.
func (e *End) fail(why error) error {
	if e.err == nil {
		why = verbs.Explain(why, e.device, e.begun)
		e.err = fmt.Errorf("lane over %s: %w", e.device.Info().Name, why)
	}
	return e.err
}

// Receive returns the next message, in order. Its Bytes are valid until the End has sent: an
// requester's until the next Send, an answerer's until the Send of the answer.
func (e *End) Receive() (Message, bool) {
	word, ok := e.next()
	if !ok {
		return Message{}, false
	}
	n := word.bytes()
	at := e.layout.inEnd(e.received) - padded(n)
	if e.role == undecided {
		e.role = answerer
	}
	e.received++
	return Message{e.memory[at : at+n : at+n], word.code()}, true
}

// next returns the control word of the next message, if the message is there.
func (e *End) next() (control, bool) {
	switch {
	case e.err != nil || e.role == requester && e.received == e.sent:
		return 0, false
	case e.pulls():
		return e.fetcher.words[e.layout.slot(e.received)], e.received < e.fetcher.fetched
	}
	word := load(e.memory, e.layout.inEnd(e.received))
	ok, err := word.of(e.received, e.shape)
	if err != nil {
		_ = e.fail(err) // for the next Poll
	}
	return word, ok
}

// Close frees everything, the side channel included. A second Close does nothing.
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
	return errors.Join(err, e.destroy())
}
