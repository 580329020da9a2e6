//go:build amd64 && !race

package partition

// storeShared writes a word under its bucket's seqlock. On amd64 a plain store will do: stores
// become visible in program order, the compiler keeps them between the version's two atomic
// stores, and an aligned word is never torn. An atomic store would be an XCHG for every word.
func storeShared(at *uint64, v uint64) { *at = v }

// releaseShared makes a version even, after all stores before it; again a plain store will do. Making it odd
// takes an atomic one, for nothing else keeps the compiler from dropping a store that this one overwrites.
func releaseShared(at *uint32, v uint32) { *at = v }
