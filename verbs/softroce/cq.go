package softroce

import (
	"fmt"
	"sync"
	"sync/atomic"

	"dpukv/verbs"
)

// cq is a completion queue: a ring of fixed size.
type cq struct {
	device *device
	count  atomic.Int64 // completions in the ring: read without the lock

	mu      sync.Mutex
	ring    []verbs.WC
	next    int // the oldest
	overrun bool
	closed  bool
}

const maxCQDepth = 1 << 22

func (d *device) CreateCQ(depth int) (verbs.CQ, error) {
	if depth < 1 || depth > maxCQDepth {
		return nil, fmt.Errorf("completion queue: found a depth of %d, allowed: 1 to "+
			"%d", depth, maxCQDepth)
	}
	if d.closed.Load() {
		return nil, verbs.ErrClosed
	}
	return &cq{device: d, ring: make([]verbs.WC, depth)}, nil
}

// push adds completions.
func (c *cq) push(wcs ...verbs.WC) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int(c.count.Load())
	if n+len(wcs) > len(c.ring) {
		wcs = wcs[:len(c.ring)-n]
		c.overran()
	}
	at := (c.next + n) % len(c.ring)
	first := copy(c.ring[at:], wcs)
	copy(c.ring, wcs[first:])
	c.count.Store(int64(n + len(wcs)))
}

// overran records that completions were lost.
func (c *cq) overran() {
	c.device.counters.add(cqOverruns, 1)
	if !c.overrun {
		c.overrun = true
		c.device.events.Add(verbs.Event{Kind: "CQ overrun", Err: c.overrunError(), Serious: true})
	}
}

func (c *cq) overrunError() error {
	return fmt.Errorf("completions were lost: the completion queue holds %d; poll it more often, "+
		"or make it deeper",
		len(c.ring))
}

// Poll takes completions. If there are none, it first lets the device work.
func (c *cq) Poll(wcs []verbs.WC) (int, error) {
	if c.count.Load() == 0 {
		if _, err := c.device.Progress(); err != nil {
			return 0, err
		}
	}
	if c.count.Load() == 0 && !c.overrunOrClosed() {
		return 0, nil
	}
	return c.poll(wcs)
}

func (c *cq) overrunOrClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.overrun || c.closed
}

// poll takes the present completions. Completions that an overrun queue has kept come before the
// error.
func (c *cq) poll(wcs []verbs.WC) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := int(c.count.Load())
	switch {
	case c.closed:
		return 0, verbs.ErrClosed
	case have == 0 && c.overrun:
		return 0, c.overrunError()
	}
	n := min(have, len(wcs))
	first := copy(wcs[:n], c.ring[c.next:])
	copy(wcs[first:n], c.ring)
	c.next = (c.next + n) % len(c.ring)
	c.count.Store(int64(have - n))
	return n, nil
}

func (c *cq) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}
