package mqueue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// checkRounds is the number of messages each way in a check of the order of bytes.
const checkRounds = 256

// spins is the number of turns before a waiting end rests.
const spins = 256

// verdict is what an end found in a check.
type verdict struct {
	Late int `json:"late"` // messages whose control word came before their payload
}

// checkOrder sends messages both ways and looks at each payload as soon as its control word is
// there. If one is late, the lane is fenced and checked again.
func (e *End) checkOrder(timeout time.Duration) error {
	for _, e.fenced = range []bool{false, true} {
		late, err := e.countLate(time.Now().Add(timeout))
		if err == nil {
			late, err = e.agree(late)
		}
		if err != nil {
			return fmt.Errorf("check of the order of bytes: %w", err)
		}
		if late == 0 {
			return nil
		}
	}
	return errors.New("order of bytes: found a WRITE that became visible after a later one, " +
		"allowed: none; this device can't carry a lane")
}

// countLate returns the number of messages whose payload was late, in both directions.
func (e *End) countLate(deadline time.Time) (late int, err error) {
	for range checkRounds {
		if !e.owner {
			err = e.sendPattern(0, deadline)
		}
		var m Message
		if err == nil {
			m, err = e.awaitMessage(deadline)
		}
		found := 0
		if err == nil && !isPattern(m.Bytes, e.received-1) {
			found = 1
		}
		if err == nil && e.owner {
			err = e.sendPattern(uint16(found), deadline)
		}
		if err != nil {
			return 0, err
		}
		late += found + int(m.Code)
	}
	return late, nil
}

// agree exchanges what both ends found. Then no message is on its way.
func (e *End) agree(late int) (int, error) {
	if err := e.channel.Send(verdict{late}); err != nil {
		return 0, err
	}
	var theirs verdict
	err := e.channel.Await(&theirs, e.turn)
	e.role = undecided
	return max(late, theirs.Late), err
}

// turn polls, for the peer may still wait for a message.
func (e *End) turn() error {
	if _, err := e.Poll(); err != nil {
		return err
	}
	return e.rest()
}

// sendPattern sends a message whose bytes all differ from those of the messages before it.
func (e *End) sendPattern(code uint16, deadline time.Time) error {
	var room []byte
	err := e.until(deadline, func() bool { room = e.Slot(); return room != nil })
	if err != nil {
		return err
	}
	n := max(e.shape.SlotBytes>>(e.sent%8), 1)
	fillPattern(room[:n], e.sent)
	return e.Send(n, code)
}

func (e *End) awaitMessage(deadline time.Time) (m Message, err error) {
	err = e.until(deadline, func() (ok bool) { m, ok = e.Receive(); return ok })
	return m, err
}

// until polls until done returns true.
func (e *End) until(deadline time.Time, done func() bool) error {
	for turns := 1; !done(); turns++ {
		if _, err := e.Poll(); err != nil {
			return err
		}
		if turns%spins != 0 {
			continue
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("found no message in time; the device's counters: %v",
				e.device.Counters())
		}
		if err := e.rest(); err != nil {
			return err
		}
	}
	return nil
}

// pattern is word i of a message in a check.
func pattern(message uint64, i int) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return (message+1)*odd ^ uint64(i+1)*odd<<1
}

func fillPattern(b []byte, message uint64) {
	var word [wordBytes]byte
	for i := 0; len(b) > 0; i++ {
		binary.LittleEndian.PutUint64(word[:], pattern(message, i))
		b = b[copy(b, word[:]):]
	}
}

func isPattern(b []byte, message uint64) bool {
	for i := 0; len(b) > 0; i++ {
		var want, found [wordBytes]byte
		binary.LittleEndian.PutUint64(want[:], pattern(message, i))
		n := copy(found[:], b)
		clear(want[n:])
		if want != found {
			return false
		}
		b = b[n:]
	}
	return true
}
