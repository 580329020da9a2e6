//go:build (amd64 || arm64) && !purego && !race

package partition

// stride is how many addresses are asked for at once: the misses overlap with working out the next
// ones.
const stride = 16

// prefetch asks for the cache lines at these addresses, which may be any, and waits for none.
//
//go:noescape
func prefetch(addrs []uintptr)
