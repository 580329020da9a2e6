//go:build (amd64 || arm64) && !purego && !race

package partition

// prefetch asks for the cache lines at these addresses, which may be any, and waits for none.
//
//go:noescape
func prefetch(addrs []uintptr)
