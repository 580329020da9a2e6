package mica

import "math/bits"

const (
	minBufferBytes = 4 << 10
	// bufferSizes are powers of two from minBufferBytes on, and at last aheadBytes.
	bufferSizes = 13
)

// keptSizes are the sizes up to 4 MiB.
const keptSizes = 11

// workerBytes is what a worker has beside the budget, at most: what it works in, and a buffer of
// each size that is kept.
const workerBytes = 17 << 20

// buffers keeps one buffer of each size but the largest, so that frames that follow one another do
// not allocate. It belongs to a worker.
type buffers [bufferSizes][]byte

func bufferBytes(size int) int { return min(minBufferBytes<<size, aheadBytes) }

// sizeFor is the smallest size that holds n bytes.
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

// What gnet keeps of answers that the kernel does not take: the first bytes in a ring, whose size
// is an option, the rest in a list of copies of the pieces that were written, each with its size
// rounded up to a power of two, and each kept until all of it is written.
const (
	ringBytes  = 4 << 10
	pieceBytes = 64 << 10
	// afterBytes is for a failure frame behind them.
	afterBytes = 4 << 10
)

// outboundBytes is the most memory that gnet has for n bytes of answers, n > 0.
func outboundBytes(n int) int {
	list := min(2*n, (n/pieceBytes+2)*pieceBytes) // the first piece and the last are not whole
	return ringBytes + list + afterBytes
}

// pieces cuts answers so that gnet's copies are of pieceBytes at most.
func pieces(into [][]byte, b []byte) [][]byte {
	for len(b) > pieceBytes {
		into = append(into, b[:pieceBytes])
		b = b[pieceBytes:]
	}
	return append(into, b)
}
