//go:build race

package order

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

const wordBytes = 8

// CopyFrom copies memory that others may change meanwhile, as a device does that reads it. It loads
// whole words atomically, so that the race detector knows of no conflict with an atomic store. A
// plain store remains one.
func CopyFrom(dst, src []byte) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	if n == 0 {
		return 0
	}
	head := min(int(-uintptr(unsafe.Pointer(&src[0]))%wordBytes), n)
	copy(dst, src[:head])
	at := head
	for ; at+wordBytes <= n; at += wordBytes {
		word := atomic.LoadUint64((*uint64)(unsafe.Pointer(&src[at])))
		binary.NativeEndian.PutUint64(dst[at:], word)
	}
	copy(dst[at:], src[at:])
	return n
}
