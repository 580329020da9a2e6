//go:build !(amd64 || arm64) || purego || race

package partition

import (
	"sync/atomic"
	"unsafe"
)

// prefetch loads a word at each of these addresses. No load depends on another, so
// the processor overlaps as many misses as it can hold, which is the point; it
// then waits for the last ones, which a prefetch instruction would not.
func prefetch(addrs []uintptr) {
	for _, a := range addrs {
		atomic.LoadUint64(*(**uint64)(unsafe.Pointer(&a)))
	}
}
