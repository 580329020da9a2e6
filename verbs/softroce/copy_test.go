package softroce

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"dpukv/verbs"

	"pgregory.net/rapid"
)

func TestPlaceLast(t *testing.T) {
	words := make([]uint64, 64)
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 512)
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, 500).Draw(t, "at")
		data := rapid.SliceOfN(rapid.Byte(), 0, min(100, 512-at)).Draw(t, "data")
		fill(memory, 7)
		want := bytes.Clone(memory)
		copy(want[at:], data)
		storeLast(memory, at, data)
		if !bytes.Equal(memory, want) {
			t.Fatalf("%d bytes at %d: got % x", len(data), at, memory)
		}
	})
}

// TestPollerSeesWholeWrite checks that a poller of the word with the last byte, like a key-value
// store, sees the whole message.
func TestPollerSeesWholeWrite(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 50
		t.Log("a short run: fewer rounds")
	}
	for _, n := range []int{8, 50, 61, 64, 1000, 2500} { // with the last byte at the end of a word, and in the middle
		a, b := pair(t, verbs.UC, Options{MTU: 1024}, Options{MTU: 1024})
		const at = 128
		word := (*uint64)(unsafe.Pointer(&b.mr.Bytes()[(at+n-1)&^7]))
		var seen atomic.Uint32
		bad := make(chan int, 1)
		go func() {
			defer close(bad)
			for round := 1; round <= rounds; round++ {
				for lastByte(word, at+n-1) != byte(round) {
					runtime.Gosched()
				}
				for i, v := range b.mr.Bytes()[at : at+n] {
					if v != byte(round) {
						bad <- i
						return
					}
				}
				seen.Store(uint32(round))
			}
		}()
		for round := 1; round <= rounds && len(bad) == 0; round++ {
			copy(a.mr.Bytes()[at:at+n], bytes.Repeat([]byte{byte(round)}, n))
			a.post(a.write(0, at, n))
			until(t, "the poller", func() bool { return seen.Load() == uint32(round) || len(bad) > 0 }, b)
			completions(t, a.sendCQ, 1)
		}
		if i, failed := <-bad; failed {
			t.Fatalf("%d bytes: byte %d was old when the last was new", n, i)
		}
	}
}

// lastByte extracts the byte at address offset at from the word that holds it.
func lastByte(word *uint64, at int) byte {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], atomic.LoadUint64(word))
	return b[at&7]
}
