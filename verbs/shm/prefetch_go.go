//go:build !(amd64 || arm64) || purego

package shm

import "unsafe"

// prefetchWrite does nothing: Go has no prefetch for writing.
func prefetchWrite(unsafe.Pointer, uintptr) {}
