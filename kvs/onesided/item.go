package onesided

import (
	"math/bits"
	"unsafe"

	"dpukv/internal/order"
)

const (
	wordBytes = 8
	lineBytes = 64
	// KeyBytes is the longest key that an item holds.
	KeyBytes = 16
	// InlineBytes is the longest value that an item holds.
	InlineBytes = 32

	itemBytes  = lineBytes
	itemWords  = itemBytes / wordBytes
	valueWord  = 2 // the first of the value
	stateWord  = 6
	sealWord   = 7
	valueBytes = InlineBytes
)

// item is one place of a table: see doc.go.
type item [itemWords]uint64

// state is an item's word of small fields.
//
//	bits 0–31 version · 32–39 value bytes · 40–47 kind · 48–55 key bytes · 56–63 flags
type state uint64

// kind tells what a place holds.
type kind uint8

const (
	free    kind = iota
	inline       // the value itself
	pointer      // where the value is, its size and its seal
	asked        // the key alone: the server has the value elsewhere
	kinds
)

// flagElsewhere of a home place says that keys of this home have no place: ask the server.
const flagElsewhere = 1

const (
	lengthShift = 32
	kindShift   = 40
	keyShift    = 48
	flagsShift  = 56
)

func makeState(version uint32, length int, k kind, keyBytes int, flags uint8) state {
	return state(version) | state(length)<<lengthShift | state(k)<<kindShift |
		state(keyBytes)<<keyShift | state(flags)<<flagsShift
}

func (s state) version() uint32 { return uint32(s) }
func (s state) length() int     { return int(s >> lengthShift & 0xff) }
func (s state) kind() kind      { return kind(s >> kindShift) }
func (s state) keyBytes() int   { return int(s >> keyShift & 0xff) }
func (s state) flags() uint8    { return uint8(s >> flagsShift) }

func (it *item) state() state { return state(it[stateWord]) }

// value is the value of an inline item.
func (it *item) value() []byte {
	n := min(it.state().length(), InlineBytes)
	return unsafe.Slice((*byte)(unsafe.Pointer(&it[valueWord])), n)
}

// block is what a pointer item says of its value.
type block struct {
	offset uint64 // in the worker's values
	bytes  int
	seal   uint64
}

func (it *item) block() block {
	return block{it[valueWord], int(it[valueWord+1]), it[valueWord+2]}
}

// shortKey is a key of up to [KeyBytes], padded with zeros.
type shortKey struct {
	low, high uint64
	bytes     int
}

// shorten makes a shortKey of a key that is short enough.
func shorten(key []byte) (k shortKey) {
	k.bytes = len(key)
	if len(key) == KeyBytes {
		words := (*[2]uint64)(unsafe.Pointer(&key[0]))
		k.low, k.high = words[0], words[1]
		return k
	}
	var padded [2]uint64
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&padded)), KeyBytes), key)
	k.low, k.high = padded[0], padded[1]
	return k
}

// of reports whether an item is that of the key. While a key has a place, none of the bytes that
// this looks at change.
func (k *shortKey) of(it *item) bool {
	return it[0] == k.low && it[1] == k.high && it.state().keyBytes() == k.bytes
}

// store writes an item to a place that others may read meanwhile: the seal last, and not before
// the rest.
func (it *item) store(at *item) {
	for i := range sealWord {
		order.Store64(&at[i], it[i])
	}
	order.Store64(&at[sealWord], it[sealWord])
}

// seals makes checksums of one server's items. Another server has other words, so its items are not
// taken for this one's.
type seals struct {
	words   [9]uint64
	without bool // everything is believed: see [kvs.Unchecked]
}

// newSeals draws the words from a seed by splitmix64.
func newSeals(seed uint64) (s seals) {
	for i := range s.words {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		s.words[i] = z ^ z>>31
	}
	return s
}

// fold mixes two words by one multiplication. Each remains in the result, even if the other is 0.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return a ^ b ^ high ^ low
}

// of is the seal of all words but the last.
func (s *seals) of(it *item) uint64 {
	w := &s.words
	key := fold(it[0]^w[0], it[1]^w[1])
	low := fold(it[2]^w[2], it[3]^w[3])
	high := fold(it[4]^w[4], it[5]^w[5])
	rest := fold(it[stateWord]^w[6]^low, bits.RotateLeft64(high, 32)^w[7])
	return fold(key^w[8], rest)
}

// right reports whether an item has its seal.
func (s *seals) right(it *item) bool { return it[sealWord] == s.of(it) || s.without }

// ofBlock is the seal of a value of n bytes, in whole words that end with zeros.
func (s *seals) ofBlock(words []uint64, n int) uint64 {
	a, b := s.words[0]^uint64(n), s.words[1]
	for len(words) >= 4 {
		a = fold(words[0]^s.words[2]^a, words[1]^s.words[3])
		b = fold(words[2]^s.words[4]^b, words[3]^s.words[5])
		words = words[4:]
	}
	for _, w := range words {
		a = fold(w^s.words[6]^a, s.words[7])
	}
	return fold(a, b^s.words[8])
}

// rightBlock reports whether a value is the one that its pointer means.
func (s *seals) rightBlock(words []uint64, b *block) bool {
	return s.without || s.ofBlock(words, b.bytes) == b.seal
}

// padded is the size of a value in whole words.
func padded(n int) int { return (n + wordBytes - 1) &^ (wordBytes - 1) }

// wordsOf are n bytes of memory as words. The memory is aligned.
func wordsOf(memory []byte, n int) []uint64 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), padded(n)/wordBytes)
}
