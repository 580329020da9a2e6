package mica

import "sync"

// mailbox is how others reach a worker. Once it is shut nobody rings: the descriptor may be
// somebody else's by then.
type mailbox struct {
	system system
	mu     sync.Mutex
	shut   bool
	mail   workerMail
}

// workerMail is what a worker is asked to do.
type workerMail struct {
	report uint64      // the number of a round that wants its counters; 0: none
	told   *statsRound // what the last round found; nil: no news
	tick   bool
}

// post changes the mail that waits and rings. It returns false where nobody would read it.
func (m *mailbox) post(write func(*workerMail)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shut {
		return false
	}
	write(&m.mail)
	m.system.ring()
	return true
}

// ring has the worker look around.
func (m *mailbox) ring() { m.post(func(*workerMail) {}) }

func (m *mailbox) open() workerMail {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.mail
	m.mail = workerMail{}
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
