//go:build !race

package shm

import (
	"sync/atomic"
	"unsafe"
)

// storeRelease stores a word after all stores before it. On amd64 the processor keeps the order of
// stores, an aligned word is never torn, and the compiler keeps stores in their order, as it does all
// of memory: a plain store is enough.
func storeRelease(at unsafe.Pointer, v uint64) { *(*uint64)(at) = v }

// publish is the same for an index that another goroutine loads.
func publish(at *atomic.Uint32, v uint32) { *(*uint32)(unsafe.Pointer(at)) = v }
