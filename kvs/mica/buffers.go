package mica

import "math/bits"

const (
	minBufferBytes = 4 << 10
	// maxBufferBytes holds what a flush may leave: see [worker.flush].
	maxBufferBytes = MaxFrameBytes + flushBytes
	// bufferSizes are powers of two from minBufferBytes on, and at last maxBufferBytes.
	bufferSizes = 13
)

// buffers keeps one buffer of each size, so that large frames that follow one another do not
// allocate. It belongs to a worker.
type buffers [bufferSizes][]byte

func bufferBytes(size int) int { return min(minBufferBytes<<size, maxBufferBytes) }

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
	b[sizeFor(cap(buf))] = buf
}
