//go:build amd64 && !race

package softroce

// releaseWord stores a word after all stores before it. On amd64 a plain store will do: stores become visible
// in program order, and an aligned word is never torn. An atomic store would be an XCHG, which waits for all of
// them.
func releaseWord(at *uint64, v uint64) { *at = v }
