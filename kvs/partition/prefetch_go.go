//go:build !(amd64 || arm64) || purego || race

package partition

import (
	"sync/atomic"
	"unsafe"
)

// stride is how many addresses are loaded from at once. Loads hold up the instructions after them,
// so all go together, in a loop short enough for the processor to see many turns of it at once.
const stride = Depth

// prefetch loads a word at each of these addresses. No load depends on another, so
// the processor overlaps as many misses as it can hold, which is the point; it
// then waits for the last ones, which a prefetch instruction would not.
func prefetch(addrs []uintptr) {
	for _, a := range addrs {
		atomic.LoadUint64(*(**uint64)(unsafe.Pointer(&a)))
	}
}
