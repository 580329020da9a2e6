package measure

import (
	"unsafe"

	"dpukv/hashbench"
)

// An empty function can't show the latency loop's cost. Where calls are slow and additions fast,
// its time is the calls' throughput, and the difference would be too small. A chain is slow enough
// that the loop waits for it, and four times as many multiplications take four times as long.
var (
	oneWord = Loop{
		Words: 1,
		Empty: contender(hashbench.Native{H64: address}),
		Chains: [3]Contender{
			contender(hashbench.Native{H64: chain4}),
			contender(hashbench.Native{H64: chain8}),
			contender(hashbench.Native{H64: chain16}),
		},
	}
	twoWords = Loop{
		Words: 2,
		Empty: contender(hashbench.Native{H128: address128}),
		Chains: [3]Contender{
			contender(hashbench.Native{H128: chain4x128}),
			contender(hashbench.Native{H128: chain8x128}),
			contender(hashbench.Native{H128: chain16x128}),
		},
	}
)

// place is the key's address. The chains begin with it, so that they wait for the address as a hash
// waits for the key. Loading the key is part of hashing.
func place(key []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(key)))) }

// multiplier is a variable, so that the compiler can't multiply in advance.
var multiplier uint64 = 0x9ddfea08eb382d69

//go:noinline
func address(key []byte) uint64 { return place(key) }

//go:noinline
func address128(key []byte) (lo, hi uint64) { return place(key), uint64(len(key)) }

//go:noinline
func chain4(key []byte) uint64 {
	h, m := place(key), multiplier
	return h * m * m * m * m
}

//go:noinline
func chain8(key []byte) uint64 {
	h, m := place(key), multiplier
	return h * m * m * m * m * m * m * m * m
}

//go:noinline
func chain16(key []byte) uint64 {
	h, m := place(key), multiplier
	return h * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m
}

//go:noinline
func chain4x128(key []byte) (lo, hi uint64) {
	h, m := place(key), multiplier
	return h * m * m * m * m, m
}

//go:noinline
func chain8x128(key []byte) (lo, hi uint64) {
	h, m := place(key), multiplier
	return h * m * m * m * m * m * m * m * m, m
}

//go:noinline
func chain16x128(key []byte) (lo, hi uint64) {
	h, m := place(key), multiplier
	return h * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m, m
}
