//go:build !race

package herd

// storeWord stores a word after all stores before it, as verbs/shm does.
func storeWord(at *uint64, v uint64) { *at = v }
