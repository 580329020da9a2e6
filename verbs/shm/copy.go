package shm

import (
	"unsafe"

	"dpukv/internal/order"
)

const wordBytes = 8

// storeMessage copies a message of n bytes. It stores the last word after all others.
func storeMessage(dst, src unsafe.Pointer, n uintptr) {
	if n < wordBytes || (uintptr(dst)+n)%wordBytes != 0 {
		move(dst, src, n)
		return
	}
	last := n - wordBytes
	move(dst, src, last)
	order.Store64((*uint64)(unsafe.Add(dst, last)), *(*uint64)(unsafe.Add(src, last)))
}

// move copies n bytes in any order. Most messages are a few words, for which a call of memmove
// takes long.
func move(dst, src unsafe.Pointer, n uintptr) {
	if n > 64 || n%wordBytes != 0 {
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
		return
	}
	for ; n >= 2*wordBytes; n -= 2 * wordBytes {
		*(*[2]uint64)(dst) = *(*[2]uint64)(src)
		dst, src = unsafe.Add(dst, 2*wordBytes), unsafe.Add(src, 2*wordBytes)
	}
	if n > 0 {
		*(*uint64)(dst) = *(*uint64)(src)
	}
}
