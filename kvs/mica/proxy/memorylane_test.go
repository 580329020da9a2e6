package proxy

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"dpukv/verbs/mqueue"
)

// memory is a lane in one process.
type memory struct {
	mu        sync.Mutex
	slots     int
	slotBytes int
	requests  [][]byte
	answers   []mqueue.Message
	open      int      // requests without a received answer
	received  [][]byte // by the answerer; each is valid until its answer
	gone      [2]bool
	broken    error // of the answerer's device
}

// memoryEnd is one end of it. The asker is the application.
type memoryEnd struct {
	*memory
	asker bool
	slot  []byte
}

var errGone = fmt.Errorf("the peer has gone: %w", io.EOF)

func newMemory(slots, slotBytes int) (application, proxy *memoryEnd) {
	m := &memory{slots: slots, slotBytes: slotBytes}
	return &memoryEnd{memory: m, asker: true, slot: make([]byte, slotBytes)},
		&memoryEnd{memory: m, slot: make([]byte, slotBytes)}
}

func (e *memoryEnd) Slot() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asker && e.open == e.slots {
		return nil
	}
	return e.slot
}

func (e *memoryEnd) Send(n int, code uint16) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	message := append([]byte(nil), e.slot[:n]...)
	if e.asker {
		e.requests = append(e.requests, message)
		e.open++
		return nil
	}
	if len(e.received) == 0 {
		return errors.New("an answer without a request")
	}
	for i := range e.received[0] { // the asker may use the slot again
		e.received[0][i] = 0xFF
	}
	e.received = e.received[1:]
	e.answers = append(e.answers, mqueue.Message{Bytes: message, Code: code})
	return nil
}

func (e *memoryEnd) Poll() (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.asker && e.broken != nil {
		return false, e.broken
	}
	if e.asker && e.gone[1] || !e.asker && e.gone[0] {
		return false, errGone
	}
	return false, nil
}

func (e *memoryEnd) Receive() (m mqueue.Message, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asker {
		if len(e.answers) == 0 {
			return m, false
		}
		m, e.answers = e.answers[0], e.answers[1:]
		e.open--
		return m, true
	}
	if len(e.requests) == 0 {
		return m, false
	}
	m.Bytes, e.requests = e.requests[0], e.requests[1:]
	e.received = append(e.received, m.Bytes)
	return m, true
}

func (e *memoryEnd) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asker {
		e.gone[0] = true
	} else {
		e.gone[1] = true
	}
	return nil
}
