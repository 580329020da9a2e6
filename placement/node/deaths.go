package node

import (
	"fmt"
	"strings"

	"dpukv/internal/killed"
)

// Endings are the kernel's counts of processes that it ended for want of memory, on a node: by those of
// before and now a death is told apart from others.
type Endings struct {
	Before killed.Count
	Now    func() killed.Count // nil: those of this machine
}

// how says how a command ended there.
func (e *Endings) how(err error) string {
	now := killed.Now
	if e.Now != nil {
		now = e.Now
	}
	if err == nil {
		return killed.How(nil, killed.Count{}, killed.Count{})
	}
	return killed.How(err, e.Before, now())
}

// OwnEnd says why a process that is gone ended by itself: by what it said as a server, or by
// a signal that nobody here sent; nil if it ended because it was told to, or nobody knows.
func (p *Process) OwnEnd(server bool) error {
	select {
	case <-p.Ended:
	default:
		return nil
	}
	switch {
	case server && p.said != nil: // a client's last word is about what it saw
		return fmt.Errorf("node %s: %s", p.Node, p.said.Error)
	case killed.By(p.waitErr) && !p.insisted:
		return fmt.Errorf("node %s: its process %s", p.Node, p.Endings.how(p.waitErr))
	}
	return nil
}

// NamedIn tells whether an error names a process's end already.
func (p *Process) NamedIn(err error) bool {
	text, name := err.Error(), "node "+p.Node+": "
	if p.said != nil {
		return strings.Contains(text, name+p.said.Error)
	}
	return strings.Contains(text, name) && strings.Contains(text, "was killed by signal 9")
}
