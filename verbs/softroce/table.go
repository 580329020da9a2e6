package softroce

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
)

// table finds objects by unpredictable numbers from a cryptographic source. The low bits of each
// number are unique in the table. They are the object's index, so a lookup is one load and a
// comparison of the other bits.
type table[T any] struct {
	what    string // the objects
	bits    int    // of a number
	most    int
	entries []tableEntry[T] // a power of two, at least twice the number of objects
	count   int
}

type tableEntry[T any] struct {
	number uint32
	object *T // nil: none
}

// firstEntries is the initial size of a table.
const firstEntries = 16

func newTable[T any](what string, bits, most int) table[T] {
	return table[T]{
		what: what, bits: bits, most: most,
		entries: make([]tableEntry[T], firstEntries),
	}
}

func (t *table[T]) at(number uint32) *tableEntry[T] {
	return &t.entries[int(number)&(len(t.entries)-1)]
}

// find returns nil if no object has the number.
func (t *table[T]) find(number uint32) *T {
	if e := t.at(number); e.number == number {
		return e.object
	}
	return nil
}

// add draws a number. It never draws 0, which stands for none, nor a number that InfiniBand
// reserves for queue pairs: 1, and all ones.
func (t *table[T]) add(object *T) (uint32, error) {
	if t.count == t.most {
		return 0, fmt.Errorf("%s: the device has %d, which is the maximum", t.what, t.count)
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

// grow doubles the entries. Unique low bits remain unique.
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

// random returns an unpredictable number with this many bits.
func random(bits int) uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it has no errors: without randomness the process ends
	return binary.NativeEndian.Uint32(b[:]) >> (32 - bits)
}
