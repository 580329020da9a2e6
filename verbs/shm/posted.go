package shm

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"dpukv/internal/order"
	"dpukv/verbs"
)

// posted holds the receive buffers that wait for messages. It is a ring with one goroutine that
// posts and one that polls.
type posted struct {
	wrs        []verbs.RecvWR
	depth      uint32
	head, tail atomic.Uint32
}

func (p *posted) init(depth int) {
	if depth > 0 {
		p.wrs = make([]verbs.RecvWR, 1<<bits.Len(uint(depth-1)))
		p.depth = uint32(depth)
	}
}

func (p *posted) at(i uint32) *verbs.RecvWR { return &p.wrs[i&uint32(len(p.wrs)-1)] }

// box takes buffers out of the ring. It publishes that once at the end, because each update of the
// ring is an atomic store.
type box struct {
	posted           *posted
	from, head, tail uint32
}

func (p *posted) open() box {
	head := p.head.Load()
	return box{p, head, head, p.tail.Load()}
}

// next returns nil when no buffer is left. Its result is valid until close.
func (b *box) next() *verbs.RecvWR {
	if b.head == b.tail {
		return nil
	}
	wr := b.posted.at(b.head)
	b.head++
	return wr
}

func (b *box) close() {
	if b.head != b.from {
		order.StoreIndex(&b.posted.head, b.head)
	}
}

// PostRecv posts buffers. The first one determines the length of messages that the ring has room
// for.
func (q *qp) PostRecv(wrs []verbs.RecvWR) (int, error) {
	if q.closed.Load() {
		return 0, verbs.ErrClosed
	}
	if q.ring == 0 && len(wrs) > 0 && q.posted.depth > 0 {
		if err := q.makeRing(int(wrs[0].Local.Length)); err != nil {
			return 0, err
		}
	}
	p := &q.posted
	tail := p.tail.Load()
	used := tail - p.head.Load()
	n := min(int(p.depth-used), len(wrs))
	for i := range wrs[:n] {
		*p.at(tail + uint32(i)) = wrs[i]
	}
	order.StoreIndex(&p.tail, tail+uint32(n))
	if n < len(wrs) {
		return n, fmt.Errorf("post %d receives with %d of %d posted: %w", len(wrs), used, p.depth,
			verbs.ErrQueueFull)
	}
	return n, nil
}
