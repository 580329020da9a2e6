package partition

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/test/litmus"
	"dpukv/kvs"

	"github.com/anishathalye/porcupine"
	"github.com/go-faster/city"
	"golang.org/x/sys/unix"
)

// register is a key as an observer sees it: absent, or holding a number. A cache may evict the key
// without a request that shows it.
type register struct {
	op     kvs.Op
	number uint64
}

type seen struct {
	status kvs.Status
	number uint64
}

const absent = 0

func registerModel(lossy bool) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{uint64(absent)} },
		Step: func(state, input, output any) []any {
			return stepRegister(state.(uint64), input.(register), output.(seen), lossy)
		},
		Equal: func(a, b any) bool { return a == b },
	}
	return model.ToModel()
}

// stepRegister gives the states that are possible after one operation.
func stepRegister(state uint64, in register, out seen, lossy bool) []any {
	var after []any
	before := []uint64{state}
	if lossy && state != absent {
		before = append(before, absent)
	}
	for _, s := range before {
		switch {
		case in.op == kvs.Get &&
			(out.status == kvs.OK && s == out.number && s != absent || out.status == kvs.NotFound && s == absent):
			after = append(after, s)
		case in.op == kvs.Set && out.status == kvs.OK:
			after = append(after, in.number)
		case in.op == kvs.Delete && (out.status == kvs.OK) == (s != absent):
			after = append(after, uint64(absent))
		}
	}
	return after
}

// TestLinearizable lets one core write while others read the same few keys. It checks that each
// key's history is possible one operation at a time. The log is small and the values differ in
// size, so that items are overwritten, replaced, moved, evicted and chained during the reads.
func TestLinearizable(t *testing.T) {
	for _, mode := range []Mode{Cache, Store} {
		t.Run(mode.String(), func(t *testing.T) {
			table := newTable(t,
				Config{Mode: mode, Access: CREW, Cores: 1, PerCore: 1, Items: 4, LogBytes: minLogBytes})
			var clock atomic.Int64
			var stop atomic.Bool
			const readers, keys, writes = 2, 12, 20_000
			histories := make([][]porcupine.Operation, readers+1)
			var wg sync.WaitGroup
			for r := range readers {
				wg.Go(func() {
					histories[r+1] = observe(t, table, r+1, keys, &clock, &stop)
				})
			}
			histories[0] = write(table, keys, writes, &clock)
			stop.Store(true)
			wg.Wait()
			checkPerKey(t, histories, keys, mode == Cache)
			table.partitions[0].checkInvariants(t)
		})
	}
}

func crewOp(code kvs.Op, key uint64, value []byte) []Op {
	k := fmt.Appendf(nil, "key-%02d", key)
	if key%2 == 0 {
		k = fmt.Appendf(nil, "key-%04d", key) // a word, as the study's: see getNoted
	}
	// one bucket, few tags
	return []Op{{Code: code, Key: k, Hash: city.Hash64(k) & 0xffff_0000_0000_0003, Value: value}}
}

func write(table *Table, keys, writes uint64, clock *atomic.Int64) (history []porcupine.Operation) {
	core := table.Core(0)
	sizes := []int{8, 8, 16, 200, 8, 9000}
	for n := uint64(1); n <= writes; n++ {
		code := kvs.Set
		if n%7 == 0 {
			code = kvs.Delete
		}
		key := n * 5 % keys
		ops := crewOp(code, key, patterned(n, sizes[n%uint64(len(sizes))]))
		call := clock.Add(1)
		core.Execute(ops, nil)
		history = append(history, porcupine.Operation{
			Input: keyed{key, register{code, n}}, Output: seen{ops[0].Status, n}, Call: call, Return: clock.Add(1),
		})
	}
	return history
}

type keyed struct {
	key uint64
	register
}

// patterned is a value that shows when parts of two are mixed.
func patterned(n uint64, size int) []byte {
	v := make([]byte, size)
	for i := 0; i+8 <= size; i += 8 {
		binary.LittleEndian.PutUint64(v[i:], n)
	}
	return v
}

func observe(
	t *testing.T, table *Table, id int, keys uint64, clock *atomic.Int64, stop *atomic.Bool,
) (history []porcupine.Operation) {
	core := table.Core(id) // owns nothing: all its reads are shared
	out := make([]byte, 0, 30_000)
	for n := uint64(0); !stop.Load(); n++ {
		batch := []uint64{n % keys}
		if n%2 == 1 { // a write may come between an item's location and its read
			batch = append(batch, (n+1)%keys, n%keys)
		}
		var ops []Op
		for _, key := range batch {
			ops = append(ops, crewOp(kvs.Get, key, nil)...)
		}
		call := clock.Add(1)
		core.Execute(ops, out)
		end := clock.Add(1)
		numbers := [3]uint64{}
		for i, key := range batch {
			got := seen{status: ops[i].Status}
			if got.status == kvs.OK {
				got.number = binary.LittleEndian.Uint64(ops[i].Value)
				if string(ops[i].Value) != string(patterned(got.number, len(ops[i].Value))) {
					t.Errorf("a torn value of %d bytes that starts with %d", len(ops[i].Value), got.number)
					return history
				}
			}
			numbers[i] = got.number
			history = append(history, porcupine.Operation{
				ClientId: id, Input: keyed{key, register{op: kvs.Get}}, Output: got, Call: call, Return: end,
			})
		}
		if numbers[2] != absent && numbers[2] < numbers[0] { // writes are numbered upwards
			t.Errorf("a batch read write %d of a key, then %d", numbers[0], numbers[2])
		}
		if len(history) >= 60_000 {
			return history
		}
	}
	return history
}

func checkPerKey(t *testing.T, histories [][]porcupine.Operation, keys uint64, lossy bool) {
	t.Helper()
	model := registerModel(lossy)
	reads := 0
	for key := range keys {
		var one []porcupine.Operation
		for _, h := range histories {
			for _, op := range h {
				if in := op.Input.(keyed); in.key == key {
					op.Input = in.register
					one = append(one, op)
					if in.op == kvs.Get {
						reads++
					}
				}
			}
		}
		if got := porcupine.CheckOperationsTimeout(model, one, 30*time.Second); got != porcupine.Ok {
			t.Errorf("key %d: a history of %d operations is %v", key, len(one), got)
		}
	}
	t.Logf("%d reads checked", reads)
}

// TestCheckerFindsStaleReads makes sure that the check above can fail.
func TestCheckerFindsStaleReads(t *testing.T) {
	history := []porcupine.Operation{
		{Input: register{kvs.Set, 1}, Output: seen{kvs.OK, 1}, Call: 1, Return: 2},
		{Input: register{kvs.Set, 2}, Output: seen{kvs.OK, 2}, Call: 3, Return: 4},
		{Input: register{op: kvs.Get}, Output: seen{kvs.OK, 1}, Call: 5, Return: 6, ClientId: 1},
	}
	if porcupine.CheckOperations(registerModel(true), history) {
		t.Error("a stale read was called linearizable")
	}
}

// TestForeignCores checks cores that do not own a partition. In CREW they can only read it; in EREW
// they can do nothing.
func TestForeignCores(t *testing.T) {
	for _, access := range []Access{EREW, CREW} {
		table := newTable(t, Config{Access: access, Cores: 1, PerCore: 1, Items: 100, LogBytes: minLogBytes})
		table.Core(0).Execute(crewOp(kvs.Set, 1, []byte("v")), nil)
		foreign := table.Core(1)
		for code := kvs.Get; code <= kvs.Delete; code++ {
			ops := crewOp(code, 1, []byte("w"))
			foreign.Execute(ops, make([]byte, 0, 8))
			want := kvs.WrongWorker
			if access == CREW && code == kvs.Get {
				want = kvs.OK
			}
			if ops[0].Status != want {
				t.Errorf("%s %s by a foreign core: %s, want %s", access, code, ops[0].Status, want)
			}
		}
	}
}

// TestOrderOfSeqlock checks the argument of shared.go on Armv8: a reader that finds the same even
// version twice never accepts a word of another version. The owner changes an item of two words
// twice, versions 0, 2, 4; a reader looks once.
func TestOrderOfSeqlock(t *testing.T) {
	// The round that a version is the end of.
	owner := func(odd, word, even func(string, int) litmus.Instruction) litmus.Thread {
		var all litmus.Thread
		for round := 1; round <= 2; round++ {
			all = append(all, odd("version", 2*round-1), word("w1", round), word("w2", round), even("version", 2*round))
		}
		return all
	}
	reader := func(first, word, second func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{first("before", "version"), word("r1", "w1"), word("r2", "w2"), second("after", "version")}
	}
	torn := func(o litmus.Outcome) bool {
		round := o["before"] / 2
		return o["before"] == o["after"] && o["before"]%2 == 0 && (o["r1"] != round || o["r2"] != round)
	}
	rel, acq := litmus.StoreRelease, litmus.LoadAcquire
	litmus.Check(t, map[string]litmus.Case{
		"as it is":             litmus.Forbids(torn, owner(rel, rel, rel), reader(acq, acq, acq)),
		"words stored plainly": litmus.Allows(torn, owner(rel, litmus.Store, rel), reader(acq, acq, acq)),
		"even version plain":   litmus.Allows(torn, owner(rel, rel, litmus.Store), reader(acq, acq, acq)),
		"words loaded plainly": litmus.Allows(torn, owner(rel, rel, rel), reader(acq, litmus.Load, acq)),
		"first version plain":  litmus.Allows(torn, owner(rel, rel, rel), reader(litmus.Load, acq, acq)),
		"as on amd64, all plain": litmus.Allows(torn, owner(litmus.Store, litmus.Store, litmus.Store),
			reader(litmus.Load, litmus.Load, litmus.Load)),
		// These two rest on the words' order alone. They are ordered because sync/atomic has
		// nothing weaker.
		"odd version plain":    litmus.Forbids(torn, owner(litmus.Store, rel, rel), reader(acq, acq, acq)),
		"second version plain": litmus.Forbids(torn, owner(rel, rel, rel), reader(acq, acq, litmus.Load)),
	})
}

// TestOrderOfReusedRoom checks reused room: the item of key A gives its room to one of key B. B's
// bucket has a version of its own. So A's version must keep A's readers from the bytes that B's
// owner writes there: the owner removed the slot under A's version before.
func TestOrderOfReusedRoom(t *testing.T) {
	owner := func(odd, slot, even, item func(string, int) litmus.Instruction) litmus.Thread {
		// The owner executes remove of A, whose slot of 0 leads to the item and of 1 nowhere. Then
		// it executes writeItem of B, under no version at all.
		return litmus.Thread{odd("version", 1), slot("slot", 1), even("version", 2), item("item", 1)}
	}
	reader := func(first, slot, item, second func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{
			first("before", "version"), slot("where", "slot"), item("what", "item").At("where"),
			second("after", "version"),
		}
	}
	wrong := func(o litmus.Outcome) bool {
		return o["before"] == o["after"] && o["before"]%2 == 0 && o["where"] == 0 &&
			(o["before"] == 2 || o["what"] == 1)
	}
	rel, acq := litmus.StoreRelease, litmus.LoadAcquire
	litmus.Check(t, map[string]litmus.Case{
		"as it is":            litmus.Forbids(wrong, owner(rel, rel, rel, rel), reader(acq, acq, acq, acq)),
		"item stored plainly": litmus.Allows(wrong, owner(rel, rel, rel, litmus.Store), reader(acq, acq, acq, acq)),
		"item loaded plainly": litmus.Allows(wrong, owner(rel, rel, rel, rel), reader(acq, acq, litmus.Load, acq)),
		"even version plain":  litmus.Allows(wrong, owner(rel, rel, litmus.Store, rel), reader(acq, acq, acq, acq)),
		"first version plain": litmus.Allows(wrong, owner(rel, rel, rel, rel), reader(litmus.Load, acq, acq, acq)),
		// The item's address comes from the slot.
		"slot loaded plainly": litmus.Forbids(wrong, owner(rel, rel, rel, rel), reader(acq, litmus.Load, acq, acq)),
	})
}

// guardedPartition makes a partition with a single bucket. Its log lies between unreadable pages,
// and is too large for an offset of 32 bits. It takes no memory until it is touched.
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
		log: unsafe.Pointer(&m[guard]), buckets: make([]bucket, 1), shared: true, space: newCircular(logBytes),
	}
}

// tornOffsets are offsets that no item has: behind the log, at its very end, before its first item.
// Each part of a torn offset comes from a multiple of a word, so the whole is one too.
func tornOffsets(end uint64) []uint64 {
	return []uint64{
		1<<48 - 8, 1 << 47, 2 * end, end + 1<<20, end + 8,
		end, end - 8, end - 16, end - 24, 8, firstOffset - 8,
	}
}

// TestTornOffsets checks that a reader stays inside the log even if it finds half of an old offset
// and half of a new one. A read outside ends this test's process.
func TestTornOffsets(t *testing.T) {
	p := guardedPartition(t)
	table := &Table{partitions: []Partition{*p}, cfg: Config{Access: CREW, Cores: 1, PerCore: 1}}
	p = &table.partitions[0]
	reader := table.Core(1)
	const hash = 7
	for _, offset := range tornOffsets(p.space.end) {
		p.buckets[0].slots.set(0, tagOf(hash), offset)
		op := []Op{
			{Code: kvs.Get, Key: []byte("key"), Hash: hash}, {Code: kvs.Get, Key: make([]byte, 8), Hash: hash},
		}
		addrs, offsets, versions := make([]uintptr, 2), make([]uint64, 2), make([]uint32, 2)
		bucketsInGo(op, reader.places, addrs)
		itemsInGo(op, reader.places, addrs, offsets, versions, maxFetch)
		reader.Execute(op, make([]byte, 0, 1<<17))
		if op[0].Status != kvs.NotFound || op[1].Status != kvs.NotFound {
			t.Errorf("offset %#x: %s, %s", offset, op[0].Status, op[1].Status)
		}
	}
}

// TestTornItems checks items whose words do not belong together. A reader accepts no lengths that
// lead out of the log, and no chain without an end.
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

// TestNoted checks that what a batch located counts only as long as the bucket has the version that
// it had then.
func TestNoted(t *testing.T) {
	const key = 2 // a word
	set := func(value string) func(*Table) {
		return func(t *Table) { t.Core(0).Execute(crewOp(kvs.Set, key, []byte(value)), nil) }
	}
	remove := func(t *Table) { t.Core(0).Execute(crewOp(kvs.Delete, key, nil), nil) }
	move := func(t *Table) {
		p, op := &t.partitions[0], crewOp(kvs.Get, key, nil)[0]
		ref, m, _ := p.find(op.Hash, op.Key)
		p.move(ref, ref.offset(), m)
	}
	lock := func(t *Table) { t.partitions[0].lock(&t.partitions[0].buckets[0]) }
	nothing := func(*Table) {}
	for _, c := range []struct {
		name          string
		before, after func(*Table) // the location
		valid         bool
	}{
		{"nothing happens", nothing, nothing, true},
		{"the value is overwritten", nothing, set("87654321"), false},
		{"the item is replaced", nothing, set("a longer value"), false},
		{"the item is removed", nothing, remove, false},
		{"the item is moved", nothing, move, false}, // its room may get another item
		{"the owner is writing", lock, nothing, false},
		{"the owner begins to write", nothing, lock, false},
		{"the value is no word", set("value"), nothing, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := newTable(t, smallest(Cache, CREW))
			set("12345678")(table)
			c.before(table)
			reader, p := table.Core(1), &table.partitions[0]
			ops := crewOp(kvs.Get, key, nil)
			locateBuckets(ops, reader.places, reader.addrs[:])
			locateItems(ops, reader.places, reader.addrs[:], reader.offsets[:], reader.versions[:], 0)
			c.after(table)
			out, ok := reader.getNoted(p, 0, &ops[0], make([]byte, 0, 8))
			if ok != c.valid || ok && string(out) != "12345678" {
				t.Errorf("found %q, %v", out, ok)
			}
		})
	}
}

// These tests stop one side at a known step, without a second thread: memory that one side reads or
// writes there is the bucket itself, so what it finds or leaves there is what the other side would
// see or do just then.

// bucketBytesOf is the memory of key's bucket: its version, the number of its spare, its slots.
func bucketBytesOf(table *Table, hash uint64) []byte {
	home := table.partitions[0].home(hash)
	return unsafe.Slice((*byte)(unsafe.Pointer(home)), bucketBytes)
}

// TestOverwrittenUnderTheVersion stores the bucket's version as a value: it is the version at the
// time of the copy, so it must be odd.
func TestOverwrittenUnderTheVersion(t *testing.T) {
	for name, c := range map[string]struct {
		key    uint64
		before []Op // in the same batch
	}{
		"a word":           {key: 2},
		"any key":          {key: 1},
		"after an other's": {key: 1, before: crewOp(kvs.Delete, 3, nil)},
	} {
		table := newTable(t, smallest(Cache, CREW))
		core := table.Core(0)
		core.Execute(crewOp(kvs.Set, c.key, []byte("12345678")), nil)
		set := crewOp(kvs.Set, c.key, nil)
		set[0].Value = bucketBytesOf(table, set[0].Hash)[:wordBytes]
		core.Execute(append(c.before, set...), nil)
		get := crewOp(kvs.Get, c.key, nil)
		core.Execute(get, make([]byte, 0, wordBytes))
		if binary.NativeEndian.Uint32(get[0].Value)&1 == 0 {
			t.Errorf("%s: the value is overwritten while the version is even", name)
		}
	}
}

// TestReaderLooksTwice copies a value over its own bucket. It is the bucket after the key's removal,
// so the reader must take the key for removed in the middle of its read.
func TestReaderLooksTwice(t *testing.T) {
	table := newTable(t, smallest(Cache, CREW))
	const key = 1
	removed := make([]byte, 2*wordBytes) // two words: the version, then no tag in slots 0-3
	get := crewOp(kvs.Get, key, nil)
	bucket := bucketBytesOf(table, get[0].Hash)
	table.Core(0).Execute(crewOp(kvs.Set, key, removed), nil)
	binary.NativeEndian.PutUint32(removed, binary.NativeEndian.Uint32(bucket)+4)
	table.Core(0).Execute(crewOp(kvs.Set, key, removed), nil)
	table.Core(1).Execute(get, bucket[:0])
	if get[0].Status != kvs.NotFound {
		t.Errorf("a key removed while it was read: %s", get[0].Status)
	}
}

// TestVersionLoadedBeforeSlots notes the version in the bucket's tags, as if the owner removed the
// key just after the version was loaded. Had the slots been loaded before, the item would still be
// noted, with a version in which its room may have another item.
func TestVersionLoadedBeforeSlots(t *testing.T) {
	const key = 1
	for name, locate := range map[string]func([]Op, []place, []uintptr, []uint64, []uint32, int){
		"in Go": itemsInGo, "as built": locateItems,
	} {
		table := newTable(t, smallest(Cache, CREW))
		table.Core(0).Execute(crewOp(kvs.Set, key, []byte("v")), nil)
		reader, get := table.Core(1), crewOp(kvs.Get, key, nil)
		slots := &table.partitions[0].home(get[0].Hash).slots
		find := func(versions []uint32) uint64 {
			locateBuckets(get, reader.places, reader.addrs[:])
			locate(get, reader.places, reader.addrs[:], reader.offsets[:], versions, 0)
			return reader.offsets[0]
		}
		if find(reader.versions[:]) == 0 || slots.tag(0) != tagOf(get[0].Hash) {
			t.Errorf("%s: the key is not found", name)
		}
		if find(unsafe.Slice((*uint32)(unsafe.Pointer(slots)), 1)) != 0 {
			t.Errorf("%s: the slots are loaded before the version is noted", name)
		}
	}
}

// TestReaderNaps checks that a reader of a locked bucket yields its CPU, which the owner may need.
// Here the owner continues only then.
func TestReaderNaps(t *testing.T) {
	table := newTable(t, smallest(Cache, CREW))
	table.Core(0).Execute(crewOp(kvs.Set, 1, []byte("v")), nil)
	op := crewOp(kvs.Get, 1, nil)
	p := &table.partitions[0]
	home := p.home(op[0].Hash)
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

// TestReaderGivesUp checks that a read that writes outrun again and again ends.
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
