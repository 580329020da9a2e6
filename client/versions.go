package client

import (
	"math/bits"
	"unsafe"

	"dpukv/kvs"
	"dpukv/load"
)

const (
	// maxTracked is the most keys that a thread remembers, of 24 bytes each.
	maxTracked = 4096
	// leastStride is the least distance of two such keys: most operations cost one comparison.
	leastStride = 128
	// lastVersion is far from the version at which those of a thread begin again.
	lastVersion = 1 << 30
)

// versions is what a thread knows of its own SETs of some keys: each key whose number is a multiple
// of a power of two. Other threads may set the same keys. Versions tell whose SET a value is of, as
// each thread has its own: see newThread. So a GET that finds an older SET of the same thread, or
// the preload's, although a newer SET of the thread had been answered before it was sent, finds a
// SET lost or undone, whoever else wrote.
type versions struct {
	keys   []tracked
	mask   uint64 // of key numbers: keys with such bits are not tracked
	shift  uint
	thread uint32 // the remainder of the thread's versions
	all    uint32 // the number of all threads
	bytes  uint64 // memory of the keys
}

// tracked is a key of versions. Several SETs of it can be in flight at once, in any order.
type tracked struct {
	floor    uint32 // the oldest of the thread's own SETs that may still be there; 0: any version
	first    uint32 // the oldest SET since none was in flight
	newest   uint32
	inFlight uint32
	floorNs  int64 // when the answer came after which floor holds
}

func newVersions(cfg *Config, id int) versions {
	if cfg.Replays() {
		return versions{} // see package follow
	}
	stride := uint64(leastStride)
	for uint64(cfg.Keys) > stride*maxTracked {
		stride *= 2
	}
	n := (uint64(cfg.Keys) + stride - 1) / stride
	return versions{
		keys: make([]tracked, n), bytes: n * uint64(unsafe.Sizeof(tracked{})),
		mask: stride - 1, shift: uint(bits.TrailingZeros64(stride)),
		thread: uint32((cfg.FirstThread + id + 1) % cfg.AllThreads), all: uint32(cfg.AllThreads),
	}
}

// tracks reports whether a key is one of those. All other methods are for such keys only.
func (v *versions) tracks(key uint64) bool { return key&v.mask == 0 && v.keys != nil }

// sends notes a SET before it leaves.
func (v *versions) sends(key uint64, version uint32) {
	if version >= lastVersion || v.keys == nil {
		v.keys = nil
		return
	}
	k := &v.keys[key>>v.shift]
	if k.inFlight == 0 {
		k.first = version
	}
	k.newest = version
	k.inFlight++
}

// stored notes the answer to a SET. Once none is in flight, those before the first of them are
// overwritten.
func (v *versions) stored(key uint64, a *kvs.Answer) {
	if v.keys == nil {
		return
	}
	k := &v.keys[key>>v.shift]
	if k.inFlight == 0 {
		return // of the preload
	}
	if k.inFlight--; k.inFlight == 0 {
		k.floor, k.floorNs = k.first, a.ReceivedNs
	}
}

// stale reports whether the value of a GET is older than a SET that was answered before the GET
// left. It is not known if there was no such SET.
func (v *versions) stale(key uint64, a *kvs.Answer) (stale, known bool) {
	if v.keys == nil || len(a.Value) < load.VersionedBytes {
		return false, false
	}
	k := &v.keys[key>>v.shift]
	if k.floor == 0 || a.SentNs <= k.floorNs {
		return false, false
	}
	version := load.ValueVersion(a.Value)
	if version == 0 {
		return true, true // the preload's
	}
	return version%v.all == v.thread && (version < k.floor || version > k.newest), true
}
