//go:build !(amd64 || arm64) || purego

package shm

import "unsafe"

// prefetchWrite does without: there is no way to ask in Go.
func prefetchWrite(unsafe.Pointer, uintptr) {}
