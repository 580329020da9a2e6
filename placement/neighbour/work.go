package neighbour

import (
	"sync/atomic"
	"unsafe"

	"dpukv/internal/offheap"
	"dpukv/probe/memory/stream"
)

// The pieces of work between two looks at the order to stop, in operations.
const (
	turns = 1 << 13
	lines = 1 << 10
)

// lineWords are the words of 8 bytes in a line.
const lineWords = LineBytes / 8

// unknownCache is the size of the buffer if the kernel tells no size of a cache.
const unknownCache = 32 << 20

// buffer is a thread's memory.
type buffer struct{ *offheap.Region }

// allocate makes one thread's part of the memory of a neighbour on these CPUs.
func allocate(kind string, cpus []int) (buffer, error) {
	size := stream.AutoBytes(cpus)
	if kind == Cache {
		if size = stream.CacheBytes(cpus); size == 0 {
			size = unknownCache
		}
	}
	const piece = 2 * lines * LineBytes // a copy and its original
	pieces := max(int(size)/len(cpus)/piece, 1)
	region, err := offheap.Alloc(pieces*piece, offheap.Auto)
	return buffer{region}, err
}

func (b buffer) words() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b.Bytes()[0])), len(b.Bytes())/8)
}

func (b buffer) floats() []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(&b.Bytes()[0])), len(b.Bytes())/8)
}

// result keeps the compiler from leaving the arithmetic out.
var result atomic.Uint64

// calculate multiplies and adds. Each step needs the one before.
func (t *thread) calculate(stop *atomic.Bool) {
	const factor, term = 6364136223846793005, 1442695040888963407 // Knuth's, of MMIX
	x := uint64(1)
	for !stop.Load() {
		for range turns {
			x = x*factor + term
		}
		t.add(turns)
	}
	result.Store(x)
}

// walk reads and writes a word of each line in turn, over and over.
func (t *thread) walk(buffer []uint64, stop *atomic.Bool) {
	const piece = lines * lineWords
	for at := 0; !stop.Load(); at = (at + piece) % len(buffer) {
		part := buffer[at : at+piece]
		for i := 0; i < len(part); i += lineWords {
			part[i]++
		}
		t.add(lines)
	}
}

// stream copies one half of the array to the other, over and over.
func (t *thread) stream(array []float64, stop *atomic.Bool) {
	const piece = lines * lineWords
	from, to := array[:len(array)/2], array[len(array)/2:]
	for at := 0; !stop.Load(); at = (at + piece) % len(from) {
		stream.CopyTo(to[at:at+piece], from[at:at+piece])
		t.add(lines)
	}
}
