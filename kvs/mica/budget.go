package mica

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"dpukv/internal/admission"
	"dpukv/internal/offheap"
)

const (
	// DefaultMaxConnections is the default limit of connections. With DefaultBufferBytes each
	// connection is then guaranteed 32 KiB, many times a study's batch.
	DefaultMaxConnections = 4096
	// DefaultBufferBytes is the default memory for connections' buffers.
	DefaultBufferBytes = 256 << 20
	// leastBufferBytes is the smallest memory for buffers that a server starts with, where there is
	// no room for more.
	leastBufferBytes = 1 << 20
	// minGuarantee is the smallest guarantee of a connection: see doc.go for its purpose.
	minGuarantee = 16 << 10
)

// budget limits the number of connections and the memory of their buffers. Half of the memory is
// split among the connections as their guarantees, independent of each other. The other half is
// common: first come, first served.
type budget struct {
	connections, total, guarantee int64

	open   atomic.Int64
	common atomic.Int64 // free part of the common half
	held   atomic.Int64
	most   atomic.Int64 // highest use
}

// account is one connection's share of a budget.
type account struct{ held, borrowed int64 }

func (b *budget) init(connections int, total int64) {
	b.connections, b.total = int64(connections), total
	b.guarantee = total / 2 / int64(connections)
	b.common.Store(total - b.guarantee*b.connections)
}

// admit counts a connection in, if there is room for it.
func (b *budget) admit() bool {
	if b.open.Add(1) <= b.connections {
		return true
	}
	b.open.Add(-1)
	return false
}

func (b *budget) leave() { b.open.Add(-1) }

// lend adds n bytes to an account. It adds nothing if the budget does not have them.
func (b *budget) lend(a *account, n int) bool {
	held := a.held + int64(n)
	borrowed := max(0, held-b.guarantee)
	if !b.borrow(borrowed - a.borrowed) {
		return false
	}
	a.held, a.borrowed = held, borrowed
	now := b.held.Add(int64(n))
	for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); {
		most = b.most.Load()
	}
	return true
}

func (b *budget) borrow(n int64) bool {
	for n > 0 {
		left := b.common.Load()
		if left < n {
			return false
		}
		if b.common.CompareAndSwap(left, left-n) {
			return true
		}
	}
	return true
}

func (b *budget) reclaim(a *account, n int) {
	a.held -= int64(n)
	borrowed := max(0, a.held-b.guarantee)
	b.common.Add(a.borrowed - borrowed)
	a.borrowed = borrowed
	b.held.Add(-int64(n))
}

// limitResources fills in defaults and refuses limits that the server can't keep. The table has its
// memory by then. If the default buffers don't fit beside the table, limitResources reduces them,
// and the number of connections. If explicitly requested buffers don't fit, that is an error.
func (c *Config) limitResources(fits offheap.Fitting) error {
	connections, err := admission.Limit(c.MaxConnections, DefaultMaxConnections)
	if err != nil {
		return err
	}
	bytes, err := offheap.Budget(c.BufferBytes, DefaultBufferBytes, leastBufferBytes,
		int64(c.Workers)*workerBytes, fits)
	if err != nil {
		return fmt.Errorf("buffers of connections (--buffers): %w", err)
	}
	if c.BufferBytes == 0 && c.MaxConnections == 0 {
		connections = min(connections, int(bytes/(2*minGuarantee)))
	}
	if least := 2 * minGuarantee * int64(connections); bytes < least {
		return fmt.Errorf("buffers: found %d bytes, allowed: at least %d for %d connections, %d "+
			"KiB for each; take more, or fewer connections",
			bytes, least, connections, 2*minGuarantee>>10)
	}
	c.MaxConnections, c.BufferBytes = connections, bytes
	return nil
}

const (
	minBufferBytes = 4 << 10
	// bufferSizes are powers of two from minBufferBytes on; the last one is aheadBytes.
	bufferSizes = 13
)

// keptSizes are the sizes up to 4 MiB.
const keptSizes = 11

// workerBytes is the most memory that a worker has beside the budget: its working memory, and one
// kept buffer of each size.
const workerBytes = 17 << 20

// buffers keeps one buffer of each size but the largest, so that successive frames do not allocate.
// It belongs to a worker.
type buffers [bufferSizes][]byte

func bufferBytes(size int) int { return min(minBufferBytes<<size, aheadBytes) }

// sizeFor returns the smallest size that holds n bytes.
func sizeFor(n int) int {
	return bits.Len(uint(max(n-1, 0) / minBufferBytes))
}

func (b *buffers) get(size int) []byte {
	buf := b[size]
	if b[size] = nil; buf == nil {
		return make([]byte, 0, bufferBytes(size))
	}
	return buf[:0]
}

func (b *buffers) put(buf []byte) {
	if size := sizeFor(cap(buf)); size < keptSizes {
		b[size] = buf
	}
}

// gnet keeps answers that the kernel does not take. The first bytes go into a ring, whose size is
// an option. The rest goes into a list of copies of the written pieces. Each copy's size is rounded
// up to a power of two, and gnet keeps it until all of it is written.
const (
	ringBytes  = 4 << 10
	pieceBytes = 64 << 10
	// afterBytes is room for a failure frame behind the answers.
	afterBytes = 4 << 10
)

// outboundBytes returns the most memory that gnet uses for n bytes of answers, n > 0.
func outboundBytes(n int) int {
	list := min(2*n, (n/pieceBytes+2)*pieceBytes) // the first piece and the last may be partial
	return ringBytes + list + afterBytes
}

// pieces cuts answers so that each of gnet's copies has at most pieceBytes.
func pieces(into [][]byte, b []byte) [][]byte {
	for len(b) > pieceBytes {
		into = append(into, b[:pieceBytes])
		b = b[pieceBytes:]
	}
	return append(into, b)
}
