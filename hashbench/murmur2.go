package hashbench

import "encoding/binary"

// murmur2 is Austin Appleby's MurmurHash2, seed 0.
func murmur2(key []byte) uint32 { return murmur2Seeded(key, 0) }

func murmur2Seeded(key []byte, seed uint32) uint32 {
	const m, r = 0x5bd1e995, 24
	h := seed ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := binary.LittleEndian.Uint32(key) * m
		h = h*m ^ (k^k>>r)*m
	}
	if len(key) > 0 {
		for i, b := range key {
			h ^= uint32(b) << (8 * i)
		}
		h *= m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}

// murmur64A is Austin Appleby's MurmurHash64A, seed 0: MurmurHash2 for 64-bit processors.
func murmur64A(key []byte) uint64 { return murmur64ASeeded(key, 0) }

func murmur64ASeeded(key []byte, seed uint64) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := seed ^ uint64(len(key))*m
	for ; len(key) >= 8; key = key[8:] {
		k := binary.LittleEndian.Uint64(key) * m
		h = (h ^ (k^k>>r)*m) * m
	}
	if len(key) > 0 {
		for i, b := range key {
			h ^= uint64(b) << (8 * i)
		}
		h *= m
	}
	h = (h ^ h>>r) * m
	return h ^ h>>r
}
