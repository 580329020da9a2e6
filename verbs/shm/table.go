package shm

import (
	"fmt"
	"math/rand/v2"
)

// table allocates the numbers of entries. A number has an index in the low bits. Above it is a
// generation that changes with each use, so that a freed number is recognizably stale. The index
// that was used longest ago comes first.
type table struct {
	generations uint32 // number of generations
	free        []uint32
}

func newTable(generationBits int) table {
	t := table{generations: 1 << generationBits, free: make([]uint32, tableEntries)}
	for i := range t.free {
		t.free[i] = rand.Uint32N(t.generations)<<indexBits | uint32(i)
	}
	return t
}

// assign returns a number that is not 0.
func (t *table) assign(what string) (uint32, error) {
	if len(t.free) == 0 {
		return 0, fmt.Errorf("%s: the device has all of its %d in use", what, tableEntries)
	}
	number := t.free[0]
	t.free = t.free[1:]
	if number == 0 {
		number = 1 << indexBits
	}
	return number, nil
}

func (t *table) give(number uint32) {
	generation := (number>>indexBits + 1) % t.generations
	t.free = append(t.free, generation<<indexBits|number&indexMask)
}
