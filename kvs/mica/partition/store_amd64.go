//go:build amd64 && !race

package partition

// storeShared writes a word under its bucket's seqlock. On amd64 a plain store will do: stores
// become visible in program order, the compiler keeps them between the version's two atomic
// stores, and an aligned word is never torn. An atomic store would be an XCHG for every word.
func storeShared(at *uint64, v uint64) { *at = v }
