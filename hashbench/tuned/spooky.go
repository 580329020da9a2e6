package tuned

import (
	"encoding/binary"
	"math/bits"
)

const (
	spookyConst = 0xdeadbeefdeadbeef
	spookyBlock = 96 // bytes: twelve words
	spookyShort = 2 * spookyBlock
)

func rol(x uint64, k int) uint64 { return bits.RotateLeft64(x, k) }

// Spooky32 is SpookyHash V2's Hash32: the low half of Spooky64.
func Spooky32(s []byte) uint32 {
	lo, _ := Spooky128(s)
	return uint32(lo)
}

// Spooky64 is SpookyHash V2's Hash64: the low word of Spooky128.
func Spooky64(s []byte) uint64 {
	lo, _ := Spooky128(s)
	return lo
}

// Spooky128 is SpookyHash V2's Hash128, as its low and high words.
func Spooky128(s []byte) (lo, hi uint64) {
	if len(s) < spookyShort {
		return spookyToShort(s)
	}
	return spookyLong(s)
}

func spookyToShort(s []byte) (lo, hi uint64) {
	var a, b, c, d uint64 = 0, 0, spookyConst, spookyConst
	n := len(s)
	for ; len(s) >= 32; s = s[32:] {
		block := (*[32]byte)(s)
		c += u64(block[0:])
		d += u64(block[8:])
		a, b, c, d = spookyShortMix(a, b, c, d)
		a += u64(block[16:])
		b += u64(block[24:])
	}
	if len(s) >= 16 {
		c += u64(s)
		d += u64(s[8:])
		a, b, c, d = spookyShortMix(a, b, c, d)
		s = s[16:]
	}
	d += uint64(n) << 56
	switch r := len(s); {
	case r >= 8:
		c += u64(s)
		d += upTo8(s[8:])
	case r > 0:
		c += upTo8(s)
	default:
		c += spookyConst
		d += spookyConst
	}
	return spookyShortEnd(a, b, c, d)
}

// upTo8 reads less than eight bytes as a little-endian number.
func upTo8(s []byte) (x uint64) {
	switch n := len(s); {
	case n >= 4: // two reads that may overlap
		return uint64(u32(s)) | uint64(u32(s[n-4:]))<<(8*(uint(n)-4)&63)
	case n > 0:
		return uint64(s[0]) | uint64(s[n>>1])<<(8*(uint(n)>>1)&63) |
			uint64(s[n-1])<<(8*(uint(n)-1)&63)
	}
	return 0
}

func spookyShortMix(h0, h1, h2, h3 uint64) (uint64, uint64, uint64, uint64) {
	h2 = rol(h2, 50) + h3
	h0 ^= h2
	h3 = rol(h3, 52) + h0
	h1 ^= h3
	h0 = rol(h0, 30) + h1
	h2 ^= h0
	h1 = rol(h1, 41) + h2
	h3 ^= h1
	h2 = rol(h2, 54) + h3
	h0 ^= h2
	h3 = rol(h3, 48) + h0
	h1 ^= h3
	h0 = rol(h0, 38) + h1
	h2 ^= h0
	h1 = rol(h1, 37) + h2
	h3 ^= h1
	h2 = rol(h2, 62) + h3
	h0 ^= h2
	h3 = rol(h3, 34) + h0
	h1 ^= h3
	h0 = rol(h0, 5) + h1
	h2 ^= h0
	h1 = rol(h1, 36) + h2
	h3 ^= h1
	return h0, h1, h2, h3
}

func spookyShortEnd(h0, h1, h2, h3 uint64) (uint64, uint64) {
	h3 ^= h2
	h2 = rol(h2, 15)
	h3 += h2
	h0 ^= h3
	h3 = rol(h3, 52)
	h0 += h3
	h1 ^= h0
	h0 = rol(h0, 26)
	h1 += h0
	h2 ^= h1
	h1 = rol(h1, 51)
	h2 += h1
	h3 ^= h2
	h2 = rol(h2, 28)
	h3 += h2
	h0 ^= h3
	h3 = rol(h3, 9)
	h0 += h3
	h1 ^= h0
	h0 = rol(h0, 47)
	h1 += h0
	h2 ^= h1
	h1 = rol(h1, 54)
	h2 += h1
	h3 ^= h2
	h2 = rol(h2, 32)
	h3 += h2
	h0 ^= h3
	h3 = rol(h3, 25)
	h0 += h3
	h1 ^= h0
	h0 = rol(h0, 63)
	h1 += h0
	return h0, h1
}

// spookyLong keeps its twelve words of state in local variables. The mix is written out in the
// loop, because Go does not pass twelve results in registers.
func spookyLong(s []byte) (lo, hi uint64) {
	var h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11 uint64
	h2, h5, h8, h11 = spookyConst, spookyConst, spookyConst, spookyConst
	for ; len(s) >= spookyBlock; s = s[spookyBlock:] {
		b := (*[spookyBlock]byte)(s)
		h0 += binary.LittleEndian.Uint64(b[0:])
		h2 ^= h10
		h11 ^= h0
		h0 = rol(h0, 11)
		h11 += h1
		h1 += binary.LittleEndian.Uint64(b[8:])
		h3 ^= h11
		h0 ^= h1
		h1 = rol(h1, 32)
		h0 += h2
		h2 += binary.LittleEndian.Uint64(b[16:])
		h4 ^= h0
		h1 ^= h2
		h2 = rol(h2, 43)
		h1 += h3
		h3 += binary.LittleEndian.Uint64(b[24:])
		h5 ^= h1
		h2 ^= h3
		h3 = rol(h3, 31)
		h2 += h4
		h4 += binary.LittleEndian.Uint64(b[32:])
		h6 ^= h2
		h3 ^= h4
		h4 = rol(h4, 17)
		h3 += h5
		h5 += binary.LittleEndian.Uint64(b[40:])
		h7 ^= h3
		h4 ^= h5
		h5 = rol(h5, 28)
		h4 += h6
		h6 += binary.LittleEndian.Uint64(b[48:])
		h8 ^= h4
		h5 ^= h6
		h6 = rol(h6, 39)
		h5 += h7
		h7 += binary.LittleEndian.Uint64(b[56:])
		h9 ^= h5
		h6 ^= h7
		h7 = rol(h7, 57)
		h6 += h8
		h8 += binary.LittleEndian.Uint64(b[64:])
		h10 ^= h6
		h7 ^= h8
		h8 = rol(h8, 55)
		h7 += h9
		h9 += binary.LittleEndian.Uint64(b[72:])
		h11 ^= h7
		h8 ^= h9
		h9 = rol(h9, 54)
		h8 += h10
		h10 += binary.LittleEndian.Uint64(b[80:])
		h0 ^= h8
		h9 ^= h10
		h10 = rol(h10, 22)
		h9 += h11
		h11 += binary.LittleEndian.Uint64(b[88:])
		h1 ^= h9
		h10 ^= h11
		h11 = rol(h11, 46)
		h10 += h0
	}
	var last [spookyBlock]byte
	copy(last[:], s)
	last[spookyBlock-1] = byte(len(s))
	h0 += binary.LittleEndian.Uint64(last[0:])
	h1 += binary.LittleEndian.Uint64(last[8:])
	h2 += binary.LittleEndian.Uint64(last[16:])
	h3 += binary.LittleEndian.Uint64(last[24:])
	h4 += binary.LittleEndian.Uint64(last[32:])
	h5 += binary.LittleEndian.Uint64(last[40:])
	h6 += binary.LittleEndian.Uint64(last[48:])
	h7 += binary.LittleEndian.Uint64(last[56:])
	h8 += binary.LittleEndian.Uint64(last[64:])
	h9 += binary.LittleEndian.Uint64(last[72:])
	h10 += binary.LittleEndian.Uint64(last[80:])
	h11 += binary.LittleEndian.Uint64(last[88:])
	h := [12]uint64{h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11}
	for range 3 {
		spookyEnd(&h)
	}
	return h[0], h[1]
}

func spookyEnd(h *[12]uint64) {
	h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11 := h[0], h[1], h[2], h[3], h[4], h[5], h[6],
		h[7], h[8], h[9], h[10], h[11]
	h11 += h1
	h2 ^= h11
	h1 = rol(h1, 44)
	h0 += h2
	h3 ^= h0
	h2 = rol(h2, 15)
	h1 += h3
	h4 ^= h1
	h3 = rol(h3, 34)
	h2 += h4
	h5 ^= h2
	h4 = rol(h4, 21)
	h3 += h5
	h6 ^= h3
	h5 = rol(h5, 38)
	h4 += h6
	h7 ^= h4
	h6 = rol(h6, 33)
	h5 += h7
	h8 ^= h5
	h7 = rol(h7, 10)
	h6 += h8
	h9 ^= h6
	h8 = rol(h8, 13)
	h7 += h9
	h10 ^= h7
	h9 = rol(h9, 38)
	h8 += h10
	h11 ^= h8
	h10 = rol(h10, 53)
	h9 += h11
	h0 ^= h9
	h11 = rol(h11, 42)
	h10 += h0
	h1 ^= h10
	h0 = rol(h0, 54)
	*h = [12]uint64{h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11}
}
