package softroce

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"dpukv/internal/order"
)

// storeLast stores the last bytes of a message at memory[at:]. The aligned word that holds the last
// byte is stored last, at once, and with release order: whoever loads it atomically and sees it
// sees all the message. memory begins and ends on a word boundary.
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

// storePart stores some bytes of a word, and leaves the others to whoever stores them at the same
// time. Its compare-and-swap has release order too: LDAR and STLXR, or CASAL, on arm64.
// TestPollerSeesWholeWrite fails on an Arm machine without these orders, TestOrderOfWrite of
// internal/order by all executions that Armv8 allows. Emulators on amd64 keep stores in order.
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
