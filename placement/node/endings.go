package node

import (
	"dpukv/internal/killed"
)

// Endings counts the processes that the kernel of a node killed for want of memory. The difference
// of two counts tells such a death from others.
type Endings struct {
	Before killed.Count
	Now    func() killed.Count // nil: those of this machine
}

// how tells how a command on the node ended.
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
