package proxy

import (
	"fmt"
	"sync"

	"dpukv/verbs/mqueue"
)

// reportPlaces are the places at the door beside those of pairs. Connections that say hello, and
// those that ask for a report, have one for a moment.
const reportPlaces = 16

// places are what a proxy has for its pairs. Any goroutine may call their methods.
type places struct {
	most      int   // pairs
	mostBytes int64 // of memory of all pairs

	mu      sync.Mutex
	bytes   int64
	pairs   int
	clients map[uint64]int // pairs of each client
}

// enter takes a place for a client's pair.
func (p *places) enter(client uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pairs == p.most {
		return fmt.Errorf("connections: found all %d places of this proxy in use, allowed: a "+
			"connection with a place; use fewer connections or threads, or another proxy", p.most)
	}
	p.pairs++
	p.clients[client]++
	return nil
}

// lend gives a pair's lane its memory, before any is allocated.
func (p *places) lend(s mqueue.Shape) (bytes int64, err error) {
	if s.Slots*s.SlotBytes > MaxLaneBytes {
		return 0, fmt.Errorf("lane: found %d slots of %d bytes, allowed: together %d bytes; use "+
			"a smaller window or batch", s.Slots, s.SlotBytes, MaxLaneBytes)
	}
	bytes = int64(s.Bytes() + s.SlotBytes + readBytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.mostBytes - p.bytes; bytes > left {
		return 0, fmt.Errorf("lane: found %d slots of %d bytes, which take %d bytes, allowed: "+
			"%d, the rest of this proxy's %d; use fewer connections, or a smaller window or batch",
			s.Slots, s.SlotBytes, bytes, left, p.mostBytes)
	}
	p.bytes += bytes
	return bytes, nil
}

// leave gives back a place and what lend gave.
func (p *places) leave(client uint64, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes -= bytes
	p.pairs--
	if p.clients[client]--; p.clients[client] == 0 {
		delete(p.clients, client)
	}
}

// count returns the number of all pairs, and of those of other clients.
func (p *places) count(client uint64) (all, others int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pairs, p.pairs - p.clients[client]
}
