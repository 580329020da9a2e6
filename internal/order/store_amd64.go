//go:build !race

package order

import (
	"sync/atomic"
	"unsafe"
)

// Store64 stores a word after all loads and stores before it.
func Store64(at *uint64, v uint64) { *at = v }

// Store32 is Store64 for half a word.
func Store32(at *uint32, v uint32) { *at = v }

// StoreIndex is Store32 for an index that others load.
func StoreIndex(at *atomic.Uint32, v uint32) { *(*uint32)(unsafe.Pointer(at)) = v }
