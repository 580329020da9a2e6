package memory

import (
	"math/rand/v2"
	"unsafe"
)

// maxBatch is the most operations whose loads may overlap.
const maxBatch = 64

// pattern does what GETs of a store do.
type pattern struct {
	index, items []byte
	batch        int
	mask         uint64 // of index lines
	state        uint64 // of the random numbers
	offsets      [maxBatch]uint64
	sum          uint64 // of what was read, so that no compiler leaves a load out
}

// newPattern fills a block: half of it is index, whose lines name lines of the other half, each
// once.
func newPattern(block []byte, batch int, seed uint64) *pattern {
	lines := 1
	for 2*lines <= len(block)/lineBytes/2 {
		lines *= 2
	}
	bytes := lines * lineBytes
	p := &pattern{
		index: block[:bytes], items: block[bytes : 2*bytes], batch: batch,
		mask: uint64(lines - 1), state: seed | 1,
	}
	for i, item := range rand.New(rand.NewPCG(seed, uint64(lines))).Perm(lines) {
		*(*uint64)(unsafe.Pointer(&p.index[i*lineBytes])) = uint64(item * lineBytes)
		*(*uint64)(unsafe.Pointer(&p.items[i*lineBytes])) = 0
	}
	return p
}

// draw returns the next random number (xorshift64*, Vigna 2016).
func (p *pattern) draw() uint64 {
	x := p.state
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	p.state = x
	return x * 0x2545f4914f6cdd1d >> 20
}

// steps does a number of operations, rounded up to whole batches.
func (p *pattern) steps(n int) {
	index, items := unsafe.Pointer(&p.index[0]), unsafe.Pointer(&p.items[0])
	for ; n > 0; n -= p.batch {
		for i := range p.batch {
			line := (p.draw() + p.sum) & p.mask // all items are 0: only the dependence counts
			p.offsets[i] = *(*uint64)(unsafe.Add(index, line*lineBytes))
		}
		sum := uint64(0)
		for i := range p.batch {
			sum += *(*uint64)(unsafe.Add(items, p.offsets[i]))
		}
		p.sum += sum
	}
}
