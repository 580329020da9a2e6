package placement

import (
	"strings"
	"sync"
)

// tail keeps the last bytes written to it: what a process said before it died.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if extra := len(t.kept) - tailBytes; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(b), nil
}

// text returns all that is kept.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// lines returns the last few lines, each indented.
func (t *tail) lines() string {
	const most = 10
	t.mu.Lock()
	defer t.mu.Unlock()
	all := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	if all[0] == "" {
		return ""
	}
	return "\n    " + strings.Join(all[max(0, len(all)-most):], "\n    ")
}
