//go:build !amd64 || race

package softroce

import "sync/atomic"

// releaseWord stores a word after all stores before it.
func releaseWord(at *uint64, v uint64) { atomic.StoreUint64(at, v) }
