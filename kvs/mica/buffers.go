package mica

import "math/bits"

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
