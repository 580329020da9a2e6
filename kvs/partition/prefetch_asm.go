//go:build (amd64 || arm64) && !purego && !race

package partition

// stride is the number of addresses per prefetch call: the misses overlap with the computation of
// the next addresses.
const stride = 16

// prefetch issues prefetches for the cache lines at these addresses, which may be any. It does not
// wait for them.
//
//go:noescape
func prefetch(addrs []uintptr)
