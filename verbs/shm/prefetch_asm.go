//go:build (amd64 || arm64) && !purego

package shm

import "unsafe"

// prefetchWrite prefetches cache lines for writing, and does not wait for them. A line that a peer
// has read last costs a trip to its core; prefetching overlaps these trips.
//
//go:noescape
func prefetchWrite(at unsafe.Pointer, lines uintptr)

// prefetchRead does the same for lines that are only read.
//
//go:noescape
func prefetchRead(at unsafe.Pointer, lines uintptr)
