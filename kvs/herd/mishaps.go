package herd

import (
	"fmt"
	"sync"
	"time"
)

// mishaps are what went wrong for one client and left the server running.
type mishaps struct {
	mu   sync.Mutex
	kept []mishap // of each kind one
}

type mishap struct {
	what string
	n    int
	last error
	at   time.Time
}

// add counts one.
func (m *mishaps) add(what string, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.kept {
		if k := &m.kept[i]; k.what == what {
			k.n++
			k.last, k.at = why, time.Now()
			return
		}
	}
	m.kept = append(m.kept, mishap{what, 1, why, time.Now()})
}

// doubts tells of the kinds that have happened since a time.
func (m *mishaps) doubts(since time.Time) (doubts []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.kept {
		if k := &m.kept[i]; !k.at.Before(since) {
			doubts = append(doubts, fmt.Sprintf("%s (%d times since the server started; the last: %v)",
				k.what, k.n, k.last))
		}
	}
	return doubts
}
