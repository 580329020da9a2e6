//go:build race

package offheap

import (
	"fmt"
	"unsafe"
)

// Region is zeroed memory on the Go heap, aligned to a cache line like the real one.
type Region struct{ bytes []byte }

// Alloc makes size bytes and ignores pages.
func Alloc(size int, _ Pages) (*Region, error) {
	if size <= 0 {
		return nil, fmt.Errorf("allocate %d bytes: want at least one", size)
	}
	if err := Fits(int64(size), Small); err != nil {
		return nil, err
	}
	const line = 64
	words := make([]uint64, (size+line+7)/8)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	skip := -uintptr(unsafe.Pointer(&all[0])) & (line - 1)
	return &Region{all[skip : int(skip)+size : int(skip)+size]}, nil
}

// Bytes is the memory.
func (r *Region) Bytes() []byte { return r.bytes }

// Backing returns Heap.
func (r *Region) Backing() Backing { return Backing{Kind: Heap} }

// Free releases the memory.
func (r *Region) Free() error {
	r.bytes = nil
	return nil
}
