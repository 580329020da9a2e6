//go:build !(amd64 || arm64) || purego || race

package partition

func locateBuckets(ops []Op, places []place, addrs []uintptr) { bucketsInGo(ops, places, addrs) }

func locateItems(
	ops []Op, places []place, addrs []uintptr, offsets []uint64, versions []uint32, reach int,
) {
	itemsInGo(ops, places, addrs, offsets, versions, reach)
}
