//go:build !(amd64 || arm64) || purego || race

package partition

import (
	"sync/atomic"
	"unsafe"
)

// stride is the number of addresses per prefetch call. Loads hold up later instructions, so all
// loads run together. Their loop is so short that the processor sees many of its turns at once.
const stride = Depth

// prefetch loads a word at each of these addresses. The loads are independent, so the processor
// overlaps as many misses as it can hold; that is the purpose. It then waits for the last ones,
// unlike with a prefetch instruction.
func prefetch(addrs []uintptr) {
	for _, a := range addrs {
		atomic.LoadUint64(*(**uint64)(unsafe.Pointer(&a)))
	}
}
