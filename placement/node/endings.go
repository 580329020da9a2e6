package node

import (
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
