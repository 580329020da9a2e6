//go:build !amd64 || race

package shm

import (
	"sync/atomic"
	"unsafe"
)

// storeRelease stores a word after all stores before it: STLR on arm64.
func storeRelease(at unsafe.Pointer, v uint64) { atomic.StoreUint64((*uint64)(at), v) }

// publish is the same for an index that another goroutine loads.
func publish(at *atomic.Uint32, v uint32) { at.Store(v) }
