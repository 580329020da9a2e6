package softroce

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
)

// table finds objects by numbers that nobody can guess: they are drawn from a cryptographic source.
// Each has low bits that no other has. These are its index, so that finding is one load, and the
// other bits are compared.
type table[T any] struct {
	what    string // the objects
	bits    int    // of a number
	most    int
	entries []tableEntry[T] // a power of two, at least twice as many as there are objects
	count   int
}

type tableEntry[T any] struct {
	number uint32
	object *T // nil: none
}

// firstEntries is the size of a table at the beginning.
const firstEntries = 16

func newTable[T any](what string, bits, most int) table[T] {
	return table[T]{what: what, bits: bits, most: most, entries: make([]tableEntry[T], firstEntries)}
}

func (t *table[T]) at(number uint32) *tableEntry[T] {
	return &t.entries[int(number)&(len(t.entries)-1)]
}

// find returns nil where no object has the number.
func (t *table[T]) find(number uint32) *T {
	if e := t.at(number); e.number == number {
		return e.object
	}
	return nil
}

// add draws a number. It is not 0, which stands for none, nor one of those that InfiniBand reserves
// for queue pairs: 1, and all ones.
func (t *table[T]) add(object *T) (uint32, error) {
	if t.count == t.most {
		return 0, fmt.Errorf("%s: the device has %d already, which is the most", t.what, t.count)
	}
	if 2*(t.count+1) > len(t.entries) {
		t.grow()
	}
	for {
		number := random(t.bits)
		e := t.at(number)
		if e.object == nil && number > 1 && number != 1<<t.bits-1 {
			t.count++
			*e = tableEntry[T]{number, object}
			return number, nil
		}
	}
}

// grow doubles the entries. What had low bits of its own still has.
func (t *table[T]) grow() {
	old := t.entries
	t.entries = make([]tableEntry[T], 2*len(old))
	for _, e := range old {
		if e.object != nil {
			*t.at(e.number) = e
		}
	}
}

// remove reports whether the object was there.
func (t *table[T]) remove(number uint32, object *T) bool {
	e := t.at(number)
	if e.number != number || e.object != object {
		return false
	}
	*e = tableEntry[T]{}
	t.count--
	return true
}

// random is a number of so many bits that nobody can guess.
func random(bits int) uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it has no errors: without randomness the process ends
	return binary.NativeEndian.Uint32(b[:]) >> (32 - bits)
}
