//go:build !amd64 || race

package partition

import "sync/atomic"

// storeShared writes a word under its bucket's seqlock.
func storeShared(at *uint64, v uint64) { atomic.StoreUint64(at, v) }
