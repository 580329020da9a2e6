//go:build !amd64 || race

package partition

import "sync/atomic"

// storeShared writes a word under its bucket's seqlock.
func storeShared(at *uint64, v uint64) { atomic.StoreUint64(at, v) }

// releaseShared makes a version even, after all stores before it.
func releaseShared(at *uint32, v uint32) { atomic.StoreUint32(at, v) }
