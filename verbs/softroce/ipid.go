package softroce

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"dpukv/verbs"
)

// The ICRC covers the IP ID, which a UDP socket does not show. Devices of this package send 0, and with
// segmentation the place in the train, so a guess is mostly right. Others count or draw their IDs. For them the
// equation is solved: the difference between the ICRC received and the one computed with a guess, taken back
// over all bytes that follow the ID, has in its low 16 bits how the ID differs from the guess, and is zero in
// its high 16 bits if nothing else differs.

// maxCovered is the most bytes that the ICRC covers from the ID on.
const maxCovered = pseudoBytes - ipIDOffset + maxPacketBytes

// takeBack[n] is x^-8n modulo the CRC's polynomial: to multiply by it undoes what n bytes did to a difference.
var takeBack = sync.OnceValue(func() *[maxCovered + 1]uint32 {
	table := new([maxCovered + 1]uint32)
	v := uint32(1 << 31) // the polynomial 1, in the reflected order of bits
	for n := range table {
		table[n] = v
		for range 8 {
			if v&(1<<31) != 0 {
				v = (v^crc32.IEEE)<<1 | 1
			} else {
				v <<= 1
			}
		}
	}
	return table
})

// multiply multiplies two polynomials modulo the CRC's.
func multiply(a, b uint32) uint32 {
	product := uint32(0)
	for ; a != 0; a <<= 1 {
		product ^= b & -(a >> 31)
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return product
}

// checkICRC verifies b's ICRC and returns its IP ID. A sender on the RoCE port itself is a device of this
// package: its ID is a place in a train, so it is checked with 26 bits or more. Of others, 16 bits remain of
// the check where the guess is wrong. b[bthMaskOffset] is overwritten.
func (f *flow) checkICRC(b []byte, guess uint16) (uint16, bool) {
	if guess >= maxSegments {
		guess = 0
	}
	b[bthMaskOffset] = 0xff
	got := binary.LittleEndian.Uint32(b[len(b)-icrcBytes:])
	difference := f.icrc(b, guess) ^ got
	if difference == 0 {
		return guess, true
	}
	d := multiply(difference, takeBack()[pseudoBytes-ipIDOffset+len(b)-icrcBytes])
	// The ID's first byte entered the CRC in its lowest bits.
	id := guess ^ (uint16(d)<<8 | uint16(d)>>8)
	return id, d>>16 == 0 && (f.srcPort != verbs.RoCEPort || id < maxSegments)
}
