package wire

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// TestUpdate compares the CRCs of all short lengths, and of some long ones, with the library's.
func TestUpdate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bytes := make([]byte, MaxPacketBytes+8)
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	for n := 0; n <= MaxPacketBytes; n += 1 + n/512*61 {
		for from := range 8 {
			b, before := bytes[from:from+n], rng.Uint32()
			if got, want := update(before, b), crc32.Update(before, crc32.IEEETable, b); got != want {
				t.Errorf("%d bytes at %d: %#x, want %#x", n, from, got, want)
			}
		}
	}
}
