package mica

import "sync"

// mailbox is how others reach a worker. Once it is shut nobody rings: the descriptor may be
// somebody else's by then.
type mailbox struct {
	system system
	mu     sync.Mutex
	shut   bool
	letter letter
}

// letter is what a worker is asked to do.
type letter struct {
	report uint64 // the number of a gathering that wants its counters; 0: none
	told   *told  // what the last gathering found; nil: no news
	tick   bool
}

// post changes the letter that waits and rings. It returns false where nobody would read it.
func (m *mailbox) post(write func(*letter)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shut {
		return false
	}
	write(&m.letter)
	m.system.ring()
	return true
}

// ring has the worker look around.
func (m *mailbox) ring() { m.post(func(*letter) {}) }

func (m *mailbox) open() letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.letter
	m.letter = letter{}
	return l
}

// close shuts the mailbox, and has hang up what it rings by.
func (m *mailbox) close(hangUp func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shut {
		return nil
	}
	m.shut = true
	return hangUp()
}
