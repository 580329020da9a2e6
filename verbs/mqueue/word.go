package mqueue

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// wordBytes is the size of a control word.
const wordBytes = 8

const (
	lengthBits   = 28
	codeBits     = 8
	sequenceBits = 64 - codeBits - lengthBits
	sequenceMask = 1<<sequenceBits - 1
)

// word is a control word.
type word uint64

func wordOf(n uint64, bytes int, code uint8) word {
	return word(n<<(codeBits+lengthBits)) | word(code)<<lengthBits | word(bytes)
}

func (w word) sequence() uint64 { return uint64(w >> (codeBits + lengthBits)) }
func (w word) code() uint8      { return uint8(w >> lengthBits) }
func (w word) bytes() int       { return int(w & (1<<lengthBits - 1)) }

// announces reports whether the word announces message n. It refuses one that no correct peer
// writes.
func (w word) announces(n uint64, s *Shape) (bool, error) {
	slots := uint64(s.Slots)
	switch w.sequence() {
	case n & sequenceMask:
		if w.bytes() > s.SlotBytes {
			return false, fmt.Errorf("message %d: found %d bytes, allowed: at most %d: the peer's "+
				"memory is corrupt", n, w.bytes(), s.SlotBytes)
		}
		return true, nil
	case (n - slots) & sequenceMask:
		return false, nil // of the last lap
	}
	if n <= slots && w == 0 {
		return false, nil // of the first lap
	}
	return false, fmt.Errorf("message %d: found number %d in its slot, allowed: %d or %d: the "+
		"peer's memory is corrupt", n, w.sequence(), n&sequenceMask, (n-slots)&sequenceMask)
}

// loadWord loads a control word with acquire order.
func loadWord(at *byte) word { return word(atomic.LoadUint64((*uint64)(unsafe.Pointer(at)))) }

func padded(n int) int { return (n + wordBytes - 1) &^ (wordBytes - 1) }
