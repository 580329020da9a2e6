//go:build (amd64 || arm64) && !purego

package shm

import "unsafe"

// prefetchWrite asks for cache lines to write to, and waits for none. Lines that a peer has read
// last cost a trip to its core each, which so overlap.
//
//go:noescape
func prefetchWrite(at unsafe.Pointer, lines uintptr)
