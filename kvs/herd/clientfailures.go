package herd

import (
	"fmt"
	"sync"
	"time"
)

// clientFailures records failures of single clients that left the server running.
type clientFailures struct {
	mu   sync.Mutex
	kept []clientFailure // one of each kind
}

type clientFailure struct {
	what string
	n    int
	last error
	at   time.Time
}

// add counts one failure.
func (m *clientFailures) add(what string, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.kept {
		if k := &m.kept[i]; k.what == what {
			k.n++
			k.last, k.at = why, time.Now()
			return
		}
	}
	m.kept = append(m.kept, clientFailure{what, 1, why, time.Now()})
}

// warnings describes the kinds of failures that have happened since a time.
func (m *clientFailures) warnings(since time.Time) (warnings []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.kept {
		if k := &m.kept[i]; !k.at.Before(since) {
			warnings = append(warnings,
				fmt.Sprintf("%s (%d times since the server started; the last: %v)",
					k.what, k.n, k.last))
		}
	}
	return warnings
}
