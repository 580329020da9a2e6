package softroce

import (
	"fmt"
	"sync"

	"dpukv/verbs"
)

// receiveQueue is a ring of posted receives.
type receiveQueue struct {
	mu    sync.Mutex
	ring  []verbs.RecvWR
	next  int // the oldest
	count int
}

// post adds as many receives as there is room for.
func (r *receiveQueue) post(wrs []verbs.RecvWR) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(wrs), len(r.ring)-r.count)
	if n > 0 {
		at := (r.next + r.count) % len(r.ring)
		first := copy(r.ring[at:], wrs[:n])
		copy(r.ring, wrs[first:n])
		r.count += n
	}
	if n < len(wrs) {
		return n, fmt.Errorf("post %d receives: %w: the queue holds "+
			"%d", len(wrs), verbs.ErrQueueFull,
			len(r.ring))
	}
	return n, nil
}

// remove removes the oldest receives, up to the length of wrs.
func (r *receiveQueue) remove(wrs []verbs.RecvWR) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(wrs), r.count)
	first := copy(wrs[:n], r.ring[r.next:])
	copy(wrs[first:n], r.ring)
	r.count -= n
	if n > 0 {
		r.next = (r.next + n) % len(r.ring)
	}
	return n
}
