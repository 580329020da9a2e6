package partition

import (
	"sync/atomic"
	"unsafe"
)

// Locating is the part of a batch that waits for memory. It has two passes, each over a whole
// batch. The first finds each key's bucket. The second finds the item that the bucket's tags lead
// to. Each begins to fetch what it finds, so that the next step need not wait.
//
// Both exist twice: here in Go, and in assembly (amd64, arm64), which uses prefetch instructions.
// They find the same (TestLocate).

// place is what a core must know of a partition to locate its items.
type place struct {
	index   unsafe.Pointer // the first bucket; spare buckets follow the last
	buckets uint64
	log     unsafe.Pointer
	last    uintptr // address of the log's last word
	foreign uint64  // [foreignBit] if another core owns the partition, else 0
}

// foreignBit marks the offset of an item that another core owns.
const foreignBit = 1 << 63

func (p *Partition) placeFor(core int) place {
	pl := place{
		index: unsafe.Pointer(unsafe.SliceData(p.buckets)), buckets: uint64(len(p.buckets)),
		log: p.log, last: p.lastWordAt(),
	}
	if p.owner != core {
		pl.foreign = foreignBit
	}
	return pl
}

func placeOf(places []place, hash uint64) *place { return &places[PartitionOf(hash, len(places))] }

// bucketsInGo sets addrs to the address of each operation's bucket.
func bucketsInGo(ops []Op, places []place, addrs []uintptr) {
	addrs = addrs[:len(ops)]
	for i := range ops {
		hash := ops[i].Hash
		pl := placeOf(places, hash)
		addrs[i] = uintptr(pl.index) + uintptr(bucketOf(hash, pl.buckets)*bucketBytes)
	}
	load(addrs)
}

// itemsInGo sets offsets to where in its log each operation's item is, judged by its tag, or to 0
// if there is none. If another core owns the item, the offset has foreignBit, and may be torn: see
// [Core.getNoted]. It holds in the bucket's version, which itemsInGo notes. addrs has the buckets,
// and does not keep them. reach is how far from its start to fetch each item: see [reachOf].
func itemsInGo(
	ops []Op, places []place, addrs []uintptr, offsets []uint64, versions []uint32, reach int,
) {
	addrs, offsets, versions = addrs[:len(ops)], offsets[:len(ops)], versions[:len(ops)]
	for i := range ops {
		pl := placeOf(places, ops[i].Hash)
		home := *(**bucket)(unsafe.Pointer(&addrs[i]))
		versions[i] = atomic.LoadUint32(&home.version)
		offset := pl.offsetIn(home, tagOf(ops[i].Hash))
		addrs[i] = min(uintptr(pl.log)+uintptr(offset), pl.last)
		if offset == 0 {
			addrs[i] = pl.spareAfter(home)
		} else {
			offset |= pl.foreign
		}
		offsets[i] = offset
	}
	load(addrs)
	for at, next := 0, 0; at < reach; at = next {
		next = min(at+lineBytes, reach)
		for i := range ops {
			addrs[i] = min(addrs[i]+uintptr(next-at), placeOf(places, ops[i].Hash).last)
		}
		load(addrs)
	}
}

// reachOf returns the distance of an item's last word from its start. An item starts at any word.
// But if all items have one size that divides a line, each stays within one, and reachOf returns 0.
func reachOf(bytes int) int {
	if bytes <= lineBytes && lineBytes%bytes == 0 {
		return 0
	}
	return bytes - wordBytes
}

// offsetIn returns the offset of the item in the first slot with this tag, or 0. Without the
// seqlock, the offset of another core's item may mix two values, and so lie behind the log.
func (pl *place) offsetIn(home *bucket, tag uint64) uint64 {
	if pl.foreign == 0 {
		return home.slots.first(tag)
	}
	s := home.slots.snapshot()
	return s.first(tag)
}

// first returns the offset in the first slot with this tag, or 0. No branch tells whether that is
// one of slots 0–3: the slot is random.
func (s *slots) first(tag uint64) uint64 {
	set := s.matches(tag)
	low := set & eachField // slots 0–3
	set = low | set&uint64(int64(low-1)>>63)
	if set == 0 {
		return 0
	}
	return s.offset(slotIn(set))
}

// spareAfter returns the address of the bucket that continues a chain. At a chain's end it is the
// log's: any address that can be loaded.
func (pl *place) spareAfter(home *bucket) uintptr {
	next := atomic.LoadUint32(&home.next)
	if next == 0 || pl.foreign != 0 {
		return uintptr(pl.log)
	}
	return uintptr(pl.index) + uintptr((pl.buckets+uint64(next)-1)*bucketBytes)
}

// load loads a word at each of these addresses. The loads are independent, and their loop is short,
// so the processor overlaps as many misses as it can hold. That is the purpose.
func load(addrs []uintptr) {
	for _, a := range addrs {
		atomic.LoadUint64(*(**uint64)(unsafe.Pointer(&a)))
	}
}
