package hashbench

import "math/bits"

// FNV is written out because hash/fnv offers it only behind an interface and an allocation. See
// draft-eastlake-fnv: FNV-1 multiplies first, FNV-1a last.
const (
	fnvOffset32   = 2166136261
	fnvOffset64   = 14695981039346656037
	fnvOffset128H = 0x6c62272e07bb0142
	fnvOffset128L = 0x62b821756295c58d
	fnvPrime32    = 16777619
	fnvPrime64    = 1099511628211
	// The 128-bit prime is 2⁸⁸ + fnvPrime128L.
	fnvPrime128L     = 0x13b
	fnvPrime128Shift = 24
)

func fnv1x32(key []byte) uint32 {
	h := uint32(fnvOffset32)
	for _, b := range key {
		h = h*fnvPrime32 ^ uint32(b)
	}
	return h
}

func fnv1ax32(key []byte) uint32 {
	h := uint32(fnvOffset32)
	for _, b := range key {
		h = (h ^ uint32(b)) * fnvPrime32
	}
	return h
}

func fnv1x64(key []byte) uint64 {
	h := uint64(fnvOffset64)
	for _, b := range key {
		h = h*fnvPrime64 ^ uint64(b)
	}
	return h
}

func fnv1ax64(key []byte) uint64 {
	h := uint64(fnvOffset64)
	for _, b := range key {
		h = (h ^ uint64(b)) * fnvPrime64
	}
	return h
}

func fnvMultiply128(lo, hi uint64) (uint64, uint64) {
	carry, low := bits.Mul64(lo, fnvPrime128L)
	return low, carry + lo<<fnvPrime128Shift + hi*fnvPrime128L
}

func fnv1x128(key []byte) (lo, hi uint64) {
	lo, hi = fnvOffset128L, fnvOffset128H
	for _, b := range key {
		lo, hi = fnvMultiply128(lo, hi)
		lo ^= uint64(b)
	}
	return lo, hi
}

func fnv1ax128(key []byte) (lo, hi uint64) {
	lo, hi = fnvOffset128L, fnvOffset128H
	for _, b := range key {
		lo, hi = fnvMultiply128(lo^uint64(b), hi)
	}
	return lo, hi
}
