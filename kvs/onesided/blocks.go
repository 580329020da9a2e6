package onesided

import (
	"unsafe"

	"dpukv/internal/order"
)

// blocks are the memory of one worker's values that no item holds. A value has a block of whole
// lines. A freed block may be used again at once: a late reader finds bytes that do not have the
// seal of its pointer.
type blocks struct {
	memory []byte
	fresh  int   // what lies behind was never used
	freed  []int // by lines, the first free block + 1; each begins with the next one + 1
	// whole gives each value a block of the largest size. So a block fits any value.
	whole int
}

// lines is the size of a block for a value.
func (b *blocks) lines(n int) int {
	if b.whole > 0 {
		return b.whole
	}
	return max(1, (n+lineBytes-1)/lineBytes)
}

// take returns the offset of a free block for a value of n bytes. ok: there is one.
func (b *blocks) take(n int) (offset int, ok bool) {
	lines := b.lines(n)
	if lines < len(b.freed) && b.freed[lines] > 0 {
		offset = b.freed[lines] - 1
		b.freed[lines] = int(*b.word(offset))
		return offset, true
	}
	if b.fresh+lines*lineBytes <= len(b.memory) {
		offset = b.fresh
		b.fresh += lines * lineBytes
		return offset, true
	}
	return b.split(lines)
}

// split takes a part of a larger free block.
func (b *blocks) split(lines int) (offset int, ok bool) {
	for n := lines + 1; n < len(b.freed); n++ {
		if b.freed[n] == 0 {
			continue
		}
		offset = b.freed[n] - 1
		b.freed[n] = int(*b.word(offset))
		b.put(offset+lines*lineBytes, n-lines)
		return offset, true
	}
	return 0, false
}

// give frees the block of a value of n bytes.
func (b *blocks) give(offset, n int) { b.put(offset, b.lines(n)) }

func (b *blocks) put(offset, lines int) {
	for lines >= len(b.freed) {
		b.freed = append(b.freed, 0)
	}
	order.Store64(b.word(offset), uint64(b.freed[lines]))
	b.freed[lines] = offset + 1
}

func (b *blocks) word(offset int) *uint64 { return (*uint64)(unsafe.Pointer(&b.memory[offset])) }

// fill writes a value to its block, with zeros up to the next word.
func (b *blocks) fill(offset int, value []byte) []uint64 {
	words := wordsOf(b.memory[offset:], len(value))
	for i := range words {
		var w [wordBytes]byte
		copy(w[:], value[i*wordBytes:])
		order.Store64(&words[i], *(*uint64)(unsafe.Pointer(&w)))
	}
	return words
}
