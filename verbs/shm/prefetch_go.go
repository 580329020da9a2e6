//go:build !(amd64 || arm64) || purego

package shm

import "unsafe"

// prefetchWrite does nothing: Go has no prefetch.
func prefetchWrite(unsafe.Pointer, uintptr) {}

// prefetchRead does nothing, too.
func prefetchRead(unsafe.Pointer, uintptr) {}
