package placement

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dpukv/internal/killed"
)

// lookPatience is for the command that reads a machine's count of what its kernel ended.
const lookPatience = 5 * time.Second

// endings are the kernel's counts of processes that it ended for want of memory, on a node: by those of
// before and now a death is told apart from others.
type endings struct {
	before killed.Count
	now    func() killed.Count // nil: those of this machine
}

// endings are a node's, from its hello on.
func (m *machines) endings(n *Node, h *hello) endings {
	e := endings{before: h.Killed}
	if n.here() {
		return e
	}
	node := m.submodeNode(n)
	e.now = func() killed.Count {
		ctx, cancel := context.WithTimeout(context.Background(), lookPatience)
		defer cancel()
		text, err := node.Run(ctx, killed.Look)
		if err != nil {
			return killed.Count{}
		}
		return killed.Parse(strings.NewReader(text))
	}
	return e
}

// how says how a command ended there.
func (e *endings) how(err error) string {
	now := killed.Now
	if e.now != nil {
		now = e.now
	}
	if err == nil {
		return killed.How(nil, killed.Count{}, killed.Count{})
	}
	return killed.How(err, e.before, now())
}

// ownDeath says why a process that is gone ended by itself: by what it said as a server, or by
// a signal that nobody here sent; nil if it ended because it was told to, or nobody knows.
func (p *process) ownDeath(server bool) error {
	select {
	case <-p.ended:
	default:
		return nil
	}
	switch {
	case server && p.said != nil: // a client's last word is about what it saw
		return fmt.Errorf("node %s: %s", p.node, p.said.Error)
	case killed.By(p.waitErr) && !p.insisted:
		return fmt.Errorf("node %s: its process %s", p.node, p.endings.how(p.waitErr))
	}
	return nil
}

// blamed tells whether an error names a process's end already.
func (p *process) blamed(err error) bool {
	text, name := err.Error(), "node "+p.node+": "
	if p.said != nil {
		return strings.Contains(text, name+p.said.Error)
	}
	return strings.Contains(text, name) && strings.Contains(text, "was killed by signal 9")
}

// dead puts first which member of a failed point ended by itself, the server before the clients:
// what the others say of it ("connection reset", "no answer") is only the effect. It is for when
// all have ended.
func (e *ensemble) dead(err error) error {
	if err == nil {
		return nil
	}
	for _, m := range e.members() {
		if why := m.ownDeath(m.end.server); why != nil && !m.blamed(err) {
			return fmt.Errorf("%w; so that %w", why, err)
		}
	}
	return err
}
