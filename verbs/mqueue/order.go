package mqueue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
)

const (
	// checkRounds is the number of messages each way in a check of the order of bytes. An end has
	// at most one message on its way: a receiver that is behind would find the next ones complete,
	// and would learn nothing from them.
	checkRounds = 256
	// softwareRounds is the same for two devices in software. Their code decides the order, not a
	// bus, and a busy machine may need a millisecond for each message.
	softwareRounds = 32
	// spins is the number of turns before a waiting end rests, and looks at the time and its peer.
	spins = 256
)

// verdict is what an end found in a check, or the reason why it could not finish it.
type verdict struct {
	Late    int    `json:"late"` // messages whose control word came before their payload
	Refused string `json:"refused,omitempty"`
}

// checkOrder sends messages both ways and looks at each payload as soon as its control word is
// there. It finds little, as a device may break the order only now and then. So the devices'
// promise decides whether the lane is fenced. The check is an alarm: if it finds a late payload in
// spite of a promise, the lane is fenced and checked again.
func (e *End) checkOrder(timeout time.Duration) error {
	ways := []bool{false, true}
	if !e.placement.Promises(verbs.LastWord) {
		ways = ways[1:]
	}
	for _, e.fenced = range ways {
		late, err := e.compare(timeout)
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

// compare counts late messages, and returns what the end that found more of them has found. Then no
// message is on its way.
func (e *End) compare(timeout time.Duration) (late int, err error) {
	var theirs verdict
	word := e.channel.Expect(&theirs)
	c := &check{e, timeout, func() error {
		if arrived, err := word.Look(); !arrived {
			return nil
		} else if err != nil {
			return fmt.Errorf("the peer is gone: %w", err)
		}
		return refusal(theirs.Refused)
	}}
	late, err = c.countLate()
	if err != nil {
		_ = e.channel.Send(verdict{Refused: err.Error()}) // it may be gone
		return 0, errors.Join(err, word.Cancel())
	}
	if err := e.channel.Send(verdict{Late: late}); err != nil {
		return 0, errors.Join(err, word.Cancel())
	}
	err = word.Await(e.turn)
	e.role = undecided
	return max(late, theirs.Late), errors.Join(err, refusal(theirs.Refused))
}

// turn polls, for the peer may still wait for a message.
func (e *End) turn() (busy bool, err error) {
	if _, err := e.Poll(); err != nil {
		return false, err
	}
	return e.rest()
}

// check is an end that checks the order of bytes.
type check struct {
	*End
	timeout time.Duration // of a message: a busy machine may need long for all
	peer    func() error  // an error: it cannot go on
}

// countLate returns the number of messages whose payload was late, in both directions.
func (c *check) countLate() (late int, err error) {
	rounds := checkRounds
	if c.software {
		rounds = softwareRounds
	}
	for range rounds {
		if !c.owner {
			err = c.sendPattern(0)
		}
		var m Message
		if err == nil {
			err = c.until(func() (ok bool) { m, ok = c.Receive(); return ok })
		}
		found := 0
		if err == nil && !isPattern(m.Bytes, c.received-1) {
			found = 1
		}
		if err == nil && c.owner {
			err = c.sendPattern(uint16(found))
		}
		if err != nil {
			return 0, err
		}
		late += found + int(m.Code)
	}
	return late, nil
}

// sendPattern sends a message whose bytes all differ from those of the messages before it.
func (c *check) sendPattern(code uint16) error {
	var room []byte
	if err := c.until(func() bool { room = c.Slot(); return room != nil }); err != nil {
		return err
	}
	n := max(c.shape.SlotBytes>>(c.sent%8), 1)
	fillPattern(room[:n], c.sent)
	return c.Send(n, code)
}

// until polls until done returns true.
func (c *check) until(done func() bool) error {
	deadline := time.Now().Add(c.timeout)
	for turns := 1; !done(); turns++ {
		if _, err := c.Poll(); err != nil {
			return err
		}
		if turns%spins != 0 {
			continue
		}
		if err := c.peer(); err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("found no message in %v; the device's counters: %v",
				c.timeout, c.device.Counters())
		}
		if _, err := c.rest(); err != nil {
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
