package softroce

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"dpukv/internal/order"
)

// storeLast stores the last bytes of a message at memory[at:]. It stores the aligned word with the
// last byte last, in one atomic store with release order. Any reader that loads this word
// atomically and sees the new value sees the whole message. memory begins and ends on a word
// boundary.
func storeLast(memory []byte, at int, data []byte) {
	if len(data) == 0 {
		return
	}
	word := (at + len(data) - 1) &^ 7
	if word > at {
		n := copy(memory[at:word], data)
		at, data = word, data[n:]
	}
	p := (*uint64)(unsafe.Pointer(&memory[word : word+8][0]))
	if len(data) == 8 {
		order.Store64(p, binary.NativeEndian.Uint64(data))
		return
	}
	storePart(p, at-word, data)
}

// storePart stores some bytes of a word. It leaves the other bytes to concurrent writers. Its
// compare-and-swap has release order too: LDAR and STLXR, or CASAL, on arm64. Without these orders
// TestPollerSeesWholeWrite fails on an Arm machine. TestOrderOfWrite of internal/order checks them
// against all executions that Armv8 allows. Emulators on amd64 keep stores in order.
func storePart(p *uint64, at int, data []byte) {
	for {
		old := atomic.LoadUint64(p)
		var bytes [8]byte
		binary.NativeEndian.PutUint64(bytes[:], old)
		copy(bytes[at:], data)
		if atomic.CompareAndSwapUint64(p, old, binary.NativeEndian.Uint64(bytes[:])) {
			return
		}
	}
}
