package partition

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// guardedPartition is one of a single bucket whose log lies between pages that cannot be read,
// and is too large for an offset of 32 bits. None of it takes memory until it is touched.
func guardedPartition(t *testing.T) *Partition {
	const guard, logBytes = 1 << 21, 5 << 30
	m, err := unix.Mmap(-1, 0, guard+logBytes+guard, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		t.Skipf("needs %d bytes of address space: %v", guard+logBytes+guard, err)
	}
	t.Cleanup(func() { _ = unix.Munmap(m) })
	if err := unix.Mprotect(m[guard:guard+logBytes], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Skipf("needs %d bytes that are not backed: %v", logBytes, err)
	}
	return &Partition{
		log: unsafe.Pointer(&m[guard]), buckets: make([]bucket, 1), bucketCount: 1,
		shared: true, space: newCircular(logBytes),
	}
}

// tornOffsets are some that no item has: behind the log, at its very end, before its first item.
// Each part of a torn offset is one of multiples of a word, and so is the whole.
func tornOffsets(end uint64) []uint64 {
	return []uint64{
		1<<48 - 8, 1 << 47, 2 * end, end + 1<<20, end + 8,
		end, end - 8, end - 16, end - 24, 8, firstOffset - 8,
	}
}

// TestTornOffsets: a reader may find half of an old offset and half of a new one. Wherever that
// leads, it stays inside the log: a read outside ends this test's process.
func TestTornOffsets(t *testing.T) {
	p := guardedPartition(t)
	table := &Table{partitions: []Partition{*p}, cfg: Config{Access: CREW, Cores: 1, PerCore: 1}}
	p = &table.partitions[0]
	reader := table.Core(1)
	const hash = 7
	for _, offset := range tornOffsets(p.space.end) {
		p.buckets[0].slots.set(0, tagOf(hash), offset)
		hint := p.hintShared(&p.buckets[0], tagOf(hash))
		if hint < uintptr(p.log) || hint > p.lastWordAt() {
			t.Errorf("offset %#x: the hint is %d bytes behind the log", offset, hint-p.lastWordAt())
			continue
		}
		op := []Op{{Code: kvs.Get, Key: []byte("key"), Hash: hash}}
		reader.Execute(op, make([]byte, 0, 1<<17))
		if op[0].Status != kvs.NotFound {
			t.Errorf("offset %#x: %s", offset, op[0].Status)
		}
	}
}

// TestTornItems: nor do an item's words need to belong together. A reader believes no lengths
// that would lead it out of the log, and no chain that does not end.
func TestTornItems(t *testing.T) {
	p := guardedPartition(t)
	p.spares = make([]bucket, 3)
	rng := rand.New(rand.NewPCG(3, 4))
	out := make([]byte, 0, 1<<17)
	for range 20_000 {
		key := make([]byte, 1+rng.IntN(kvs.MaxKeyBytes))
		m := makeMeta(len(key), rng.IntN(kvs.MaxValueBytes+1), int(rng.Uint32()))
		last := uint64(m.valueAt() + padded(m.valueBytes())) // an item of this size fits just there
		offset := p.space.end - last + 8*uint64(rng.IntN(5)) - 16
		if rng.IntN(4) == 0 {
			offset = p.space.end - 8*uint64(rng.IntN(40))
		}
		b := &p.buckets[0]
		b.next = rng.Uint32N(6)
		for i := range p.spares {
			p.spares[i].next = rng.Uint32N(6)
		}
		b.slots.set(rng.IntN(slotsPerBucket), 1, offset)
		if offset+headerBytes <= p.space.end {
			*p.word(offset) = uint64(m)
			*p.word(offset + wordBytes) = 0
		}
		_, value, status := p.tryGet(b, 0, key, out)
		if status == kvs.OK && len(value) > kvs.MaxValueBytes {
			t.Fatalf("a value of %d bytes", len(value))
		}
	}
}

// TestReaderNaps: a reader whose bucket is locked gives up its CPU, which may be the one that the
// owner needs. Here the owner goes on only then.
func TestReaderNaps(t *testing.T) {
	table := newTable(t, smallest(Cache, CREW))
	table.Core(0).Execute(crewOp(kvs.Set, 1, []byte("v")), nil)
	op := crewOp(kvs.Get, 1, nil)
	p := &table.partitions[0]
	home := &p.buckets[p.bucketOf(op[0].Hash)]
	p.lock(home)
	naps := 0
	real := sleep
	defer func() { sleep = real }()
	sleep = func() {
		if naps++; naps == 3 {
			p.unlock(home)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		table.Core(1).Execute(op, make([]byte, 0, 8))
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the reader does not give up its CPU")
	}
	if op[0].Status != kvs.OK || naps != 3 {
		t.Errorf("%s after %d naps", op[0].Status, naps)
	}
}

// TestReaderGivesUp: a read that writes outrun again and again ends.
func TestReaderGivesUp(t *testing.T) {
	var w readerBackoff
	real := sleep
	defer func() { sleep = real }()
	sleep = func() {}
	for n := 1; !w.outrun(); n++ {
		w.locked() // does not count
		if n == maxOutrun {
			t.Fatalf("a read goes on after %d writes", n)
		}
	}
	if w.lost != maxOutrun {
		t.Errorf("a read ended after %d writes, want %d", w.lost, maxOutrun)
	}
}
