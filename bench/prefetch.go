//go:build amd64 || arm64

package bench

import "unsafe"

// prefetch begins to fetch the cache lines at these offsets from base. It does not wait for them.
//
//go:noescape
func prefetch(base unsafe.Pointer, offsets []uint64)
