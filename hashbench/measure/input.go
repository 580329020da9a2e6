package measure

import (
	"math/rand/v2"
	"unsafe"

	"dpukv/hashbench/result"
)

// Input is the input of a case: places in a pool, and the length of the key at each.
type Input struct {
	result.Case
	pool    []byte   // slots of slotBytes, and room for the longest length behind the last one
	lengths []uint32 // a power of two of them
	at      int      // index into lengths: the next round continues where the last one ended
}

const (
	slots     = 64 // different places, few enough that short input stays in the first-level cache
	slotBytes = 64 // a cache line
	// randomLengths is the number of lengths before they repeat.
	randomLengths = 1 << 20
)

func newInput(c result.Case, seed uint64) *Input {
	rng := rand.New(rand.NewPCG(seed, 1))
	in := &Input{Case: c, pool: aligned(slots*slotBytes+c.MaxBytes, c.Align)}
	for i := range in.pool {
		in.pool[i] = byte(rng.Uint32())
	}
	in.lengths = make([]uint32, slots)
	if c.Random() {
		in.lengths = make([]uint32, randomLengths)
	}
	for i := range in.lengths {
		in.lengths[i] = uint32(c.MinBytes + rng.IntN(c.MaxBytes-c.MinBytes+1))
	}
	return in
}

// aligned is memory that begins so many bytes after a multiple of a cache line.
func aligned(bytes, align int) []byte {
	memory := make([]byte, bytes+2*slotBytes)
	from := align - int(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))%slotBytes)
	if from < 0 {
		from += slotBytes
	}
	return memory[from : from+bytes]
}
