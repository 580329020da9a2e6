package shm

import (
	"slices"
	"sync"
	"sync/atomic"

	"dpukv/internal/order"
	"dpukv/verbs"
)

// cq is a completion queue. Completions stay with their queue pairs until they are polled: sends in
// a ring, messages in their tracks. So no two goroutines ever write to the same place.
type cq struct {
	device    *Device
	depth     int
	mu        sync.Mutex // for changes of the lists
	senders   atomic.Pointer[[]*qp]
	receivers atomic.Pointer[[]*qp]
	first     int // receiver that the next Poll starts with, so that none starves
}

func (c *cq) Close() error { return nil }

func (c *cq) add(list *atomic.Pointer[[]*qp], q *qp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	longer := []*qp{q}
	if old := list.Load(); old != nil {
		longer = append(slices.Clone(*old), q)
	}
	list.Store(&longer)
}

func (c *cq) drop(q *qp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, list := range []*atomic.Pointer[[]*qp]{&c.senders, &c.receivers} {
		if old := list.Load(); old != nil && slices.Contains(*old, q) {
			shorter := slices.DeleteFunc(slices.Clone(*old), func(x *qp) bool { return x == q })
			list.Store(&shorter)
		}
	}
}

// Poll takes completed sends, then received messages.
func (c *cq) Poll(wcs []verbs.WC) (int, error) {
	n := 0
	if senders := c.senders.Load(); senders != nil {
		for _, q := range *senders {
			n += q.completed.poll(wcs[n:])
		}
	}
	receivers := c.receivers.Load()
	if receivers == nil {
		return n, nil
	}
	list := *receivers
	if c.first >= len(list) {
		c.first = 0
	}
	for i := range list {
		if n == len(wcs) {
			c.first += i
			break
		}
		at := c.first + i
		if at >= len(list) {
			at -= len(list)
		}
		n += list[at].receive(wcs[n:])
	}
	return n, nil
}

// completions holds the completions of a queue pair's sends. It is a ring with one goroutine that
// posts and one that polls.
type completions struct {
	wcs        []verbs.WC
	head, tail atomic.Uint32
}

// put returns false if the ring is full.
func (c *completions) put(wc verbs.WC) bool {
	tail := c.tail.Load()
	if tail-c.head.Load() == uint32(len(c.wcs)) {
		return false
	}
	c.wcs[tail&uint32(len(c.wcs)-1)] = wc
	order.StoreIndex(&c.tail, tail+1)
	return true
}

func (c *completions) poll(wcs []verbs.WC) int {
	head := c.head.Load()
	n := min(int(c.tail.Load()-head), len(wcs))
	for i := range wcs[:n] {
		wcs[i] = c.wcs[(head+uint32(i))&uint32(len(c.wcs)-1)]
	}
	if n > 0 {
		order.StoreIndex(&c.head, head+uint32(n))
	}
	return n
}
