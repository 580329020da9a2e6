package onesided

import (
	"math/bits"
	"unsafe"
)

// shape is what a table and its readers agree on.
type shape struct {
	Slots         int `json:"slots"`         // homes of one worker
	Neighbourhood int `json:"neighbourhood"` // places of a key: its home and the next ones
	ValueBytes    int `json:"value_bytes"`   // memory of one worker's values
	MaxValue      int `json:"max_value_bytes"`
}

// places is the number of a worker's places. The last homes have as many neighbours as the others.
func (s *shape) places() int { return s.Slots + s.Neighbourhood - 1 }

// stride is the memory of one worker: places, then values.
func (s *shape) stride() int {
	return s.places()*itemBytes + (s.ValueBytes+lineBytes-1)&^(lineBytes-1)
}

// home is the number of a key's first place. The hash's highest bits are those of the worker, so
// all bits are mixed first.
func (s *shape) home(hash uint64) int {
	high, _ := bits.Mul64(hash*0x9e3779b97f4a7c15, uint64(s.Slots))
	return int(high)
}

// table is one worker's items. Only its worker writes to it; clients may read it at any time.
//
// From its insertion to its deletion, a key has one place here, or none and is elsewhere. So a
// reader that finds no item, and no flag at home, knows that there was a moment without the key.
type table struct {
	shape
	seals     *seals
	items     []item
	blocks    blocks
	elsewhere []uint8 // by home, the keys that have no place; 255: as many or more, for ever
	pointers  bool    // all values have blocks
	count     uint64  // of keys with a value here
}

const manyElsewhere = 255

func newTable(s shape, sealing *seals, memory []byte, pointers, uniform bool) *table {
	n := s.places()
	t := &table{
		shape: s, seals: sealing, pointers: pointers, elsewhere: make([]uint8, s.Slots),
		items:  unsafe.Slice((*item)(unsafe.Pointer(&memory[0])), n),
		blocks: blocks{memory: memory[n*itemBytes:][:s.ValueBytes]},
	}
	if uniform {
		t.blocks.whole = max(1, (s.MaxValue+lineBytes-1)/lineBytes)
	}
	var empty item
	empty[sealWord] = sealing.of(&empty)
	for i := range t.items {
		empty.store(&t.items[i])
	}
	return t
}

// find returns the place of a key, or -1, and the first free one, or -1.
func (t *table) find(home int, k *shortKey) (at, unused int) {
	unused = -1
	for i := home; i < home+t.Neighbourhood; i++ {
		it := &t.items[i]
		switch {
		case it.state().kind() == free:
			if unused < 0 {
				unused = i
			}
		case k.of(it):
			return i, unused
		}
	}
	return -1, unused
}

// flagged reports whether keys of a home are elsewhere.
func (t *table) flagged(home int) bool { return t.items[home].state().flags()&flagElsewhere != 0 }

// added counts a key without a place. removed counts it out: its last one takes the flag away. The
// key was deleted then, so a reader that sees no flag is right: see table.
func (t *table) added(home int) {
	if t.elsewhere[home] < manyElsewhere {
		t.elsewhere[home]++
	}
	t.flag(home, flagElsewhere)
}

func (t *table) removed(home int) {
	if n := t.elsewhere[home]; n == 0 || n == manyElsewhere {
		return
	}
	if t.elsewhere[home]--; t.elsewhere[home] == 0 {
		t.flag(home, 0)
	}
}

func (t *table) flag(home int, flags uint8) {
	it := t.items[home]
	s := it.state()
	if s.flags() != flags {
		t.write(home, &it, s.length(), s.kind(), s.keyBytes(), flags)
	}
}

// write stores an item with the next version of its place.
func (t *table) write(at int, it *item, length int, k kind, keyBytes int, flags uint8) {
	version := t.items[at].state().version() + 1
	it[stateWord] = uint64(makeState(version, length, k, keyBytes, flags))
	it[sealWord] = t.seals.of(it)
	it.store(&t.items[at])
}

// set gives a key's place a value. ok: there is room for it.
func (t *table) set(at int, k *shortKey, value []byte) (ok bool) {
	old := t.items[at]
	it := item{k.low, k.high}
	now, length := inline, len(value)
	if t.pointers || length > InlineBytes {
		if length > t.MaxValue {
			return false
		}
		offset, ok := t.blocks.take(length)
		if !ok {
			return false
		}
		words := t.blocks.fill(offset, value)
		it[valueWord], it[valueWord+1] = uint64(offset), uint64(length)
		it[valueWord+2] = t.seals.ofBlock(words, length)
		now, length = pointer, 0
	} else {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&it[valueWord])), InlineBytes), value)
	}
	t.write(at, &it, length, now, k.bytes, old.state().flags())
	t.release(&old)
	t.count++
	return true
}

// ask leaves the key alone in its place: its value is elsewhere.
func (t *table) ask(at int, k *shortKey) {
	old := t.items[at]
	t.write(at, &item{k.low, k.high}, 0, asked, k.bytes, old.state().flags())
	t.release(&old)
}

// clear frees a place.
func (t *table) clear(at int) {
	old := t.items[at]
	t.write(at, &item{}, 0, free, 0, old.state().flags())
	t.release(&old)
}

// release takes back what an item held that is no longer in its place.
func (t *table) release(old *item) {
	switch old.state().kind() {
	case pointer:
		b := old.block()
		t.blocks.give(int(b.offset), b.bytes)
		t.count--
	case inline:
		t.count--
	}
}

// value returns the value of an item of this table.
func (t *table) value(it *item) []byte {
	if it.state().kind() == pointer {
		b := it.block()
		return t.blocks.memory[b.offset:][:b.bytes]
	}
	return it.value()
}
