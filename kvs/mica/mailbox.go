package mica

import "sync"

// mailbox passes requests of other threads to a worker. Once it is closed nobody rings: the
// descriptor may then belong to another file.
type mailbox struct {
	system system
	mu     sync.Mutex
	shut   bool
	mail   workerMail
}

// workerMail is the work that others ask of a worker.
type workerMail struct {
	report uint64      // the number of a round that needs its counters; 0: none
	told   *statsRound // result of the last round; nil: none since the last mail
	tick   bool
}

// post changes the waiting mail and rings. It returns false if nobody would read it.
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

// ring wakes the worker.
func (m *mailbox) ring() { m.post(func(*workerMail) {}) }

func (m *mailbox) open() workerMail {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.mail
	m.mail = workerMail{}
	return l
}

// close closes the mailbox, and calls hangUp to close the wakeup.
func (m *mailbox) close(hangUp func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shut {
		return nil
	}
	m.shut = true
	return hangUp()
}
