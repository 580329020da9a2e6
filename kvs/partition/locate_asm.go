//go:build (amd64 || arm64) && !purego && !race

package partition

// locateBuckets is [bucketsInGo] with prefetch instructions, which do not wait.
//
//go:noescape
func locateBuckets(ops []Op, places []place, addrs []uintptr)

// locateItems is [itemsInGo] with prefetch instructions. They may have any address, so a torn
// offset needs no check.
//
//go:noescape
func locateItems(
	ops []Op, places []place, addrs []uintptr, offsets []uint64, versions []uint32, reach int,
)
