package partition

import (
	"bytes"
	"fmt"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"

	"github.com/go-faster/city"
	"pgregory.net/rapid"
)

// model is a plain map with the same rules, except that a cache may have lost anything that it
// counted as evicted.
type model struct {
	values map[string][]byte
}

// TestMetamorphic runs the same random operations against a table and a map, in every mode. The
// memory is so small that items are evicted, moved and refused. rapid shrinks a failure and prints
// the seed that repeats it.
func TestMetamorphic(t *testing.T) {
	for _, items := range []int{4, 3000} {
		cfg := Config{Cores: 1, PerCore: 2, Items: items, LogBytes: 2 * minLogBytes}
		for _, table := range newTables(t, cfg) {
			t.Run(fmt.Sprintf("%s-%s-%d", table.cfg.Mode, table.cfg.Access, items), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { metamorphic(t, table) })
			})
		}
	}
}

func metamorphic(t *rapid.T, table *Table) {
	table.reset()
	core := table.Core(0)
	m := &model{values: map[string][]byte{}}
	keySpace := rapid.IntRange(1, 400).Draw(t, "keys")
	large := rapid.Bool().Draw(t, "large values")
	batches := rapid.IntRange(1, 12).Draw(t, "batches")
	for range batches {
		ops := rapid.SliceOfN(opGenerator(keySpace, large), 1, 150).Draw(t, "batch")
		out := make([]byte, 0, 1<<20)
		core.Execute(ops, out)
		for i := range ops {
			m.check(t, table.cfg.Mode, &ops[i])
		}
		for i := range table.partitions {
			table.partitions[i].checkInvariants(t)
		}
	}
	m.checkCounts(t, table, core)
}

func opGenerator(keySpace int, large bool) *rapid.Generator[Op] {
	return rapid.Custom(func(t *rapid.T) Op {
		n := rapid.IntRange(0, keySpace-1).Draw(t, "key")
		op := Op{
			Code: rapid.SampledFrom([]kvs.Op{kvs.Get, kvs.Set, kvs.Set, kvs.Add, kvs.Delete}).Draw(t, "op"),
			Key:  testKey(n),
		}
		op.Hash = city.Hash64(op.Key)
		if n%5 == 0 {
			op.Hash &= 0xffff_0000_0000_0003 // few buckets and tags: long chains, equal tags
		}
		if op.Code == kvs.Set || op.Code == kvs.Add {
			sizes := rapid.IntRange(0, 40)
			if large {
				sizes = rapid.OneOf(sizes, rapid.IntRange(kvs.MaxValueBytes-8, kvs.MaxValueBytes),
					rapid.IntRange(0, 9000))
			}
			op.Value = bytes.Repeat([]byte{rapid.Byte().Draw(t, "fill")}, sizes.Draw(t, "value bytes"))
		}
		return op
	})
}

// testKey gives keys of 1 to 255 bytes, all different.
func testKey(n int) []byte {
	switch n % 4 {
	case 0:
		return fmt.Appendf(nil, "k%07d", n) // a word
	case 1:
		return fmt.Appendf(nil, "%d", n)
	case 2:
		return fmt.Appendf(nil, "longer-key-%09d", n)
	}
	return append(bytes.Repeat([]byte{'x'}, kvs.MaxKeyBytes-6), fmt.Sprintf("%06d", n)...)
}

func (m *model) check(t rapid.TB, mode Mode, op *Op) {
	key := string(op.Key)
	want, known := m.values[key]
	lost := mode == Cache // a known key may be gone
	fail := func() {
		t.Fatalf("%s %q (%d bytes): %s with %d bytes; known %v with %d", op.Code, key, len(op.Value), op.Status,
			len(op.Value), known, len(want))
	}
	switch op.Code {
	case kvs.Set, kvs.Add:
		m.checkWrite(op, known, lost, fail)
	case kvs.Get, kvs.Delete:
		if op.Status == kvs.OK && (!known || op.Code == kvs.Get && !bytes.Equal(op.Value, want)) ||
			op.Status == kvs.NotFound && known && !lost || op.Status == kvs.Full {
			fail()
		}
		if op.Code == kvs.Delete {
			delete(m.values, key)
		}
	}
}

func (m *model) checkWrite(op *Op, known, lost bool, fail func()) {
	switch op.Status {
	case kvs.OK:
		if op.Code == kvs.Add && known && !lost {
			fail()
		}
		m.values[string(op.Key)] = op.Value
	case kvs.Exists:
		if op.Code != kvs.Add || !known {
			fail()
		}
	case kvs.Full:
		if lost { // a cache always has room
			fail()
		}
	default:
		fail()
	}
}

// checkCounts reads everything back: each known item is there, or counted as evicted.
func (m *model) checkCounts(t *rapid.T, table *Table, core *Core) {
	there := uint64(0)
	for key, want := range m.values {
		op := []Op{{Code: kvs.Get, Key: []byte(key), Hash: city.Hash64([]byte(key))}}
		for _, hash := range []uint64{op[0].Hash, op[0].Hash & 0xffff_0000_0000_0003} {
			op[0].Hash = hash
			core.Execute(op, make([]byte, 0, 1<<17))
			if op[0].Status == kvs.OK {
				there++
				if !bytes.Equal(op[0].Value, want) {
					t.Fatalf("%q has another value", key)
				}
			}
		}
	}
	s := core.Stats()
	if s.Items != there {
		t.Fatalf("%d items counted, %d found", s.Items, there)
	}
	if table.cfg.Mode == Store && (there != uint64(len(m.values)) || s.Evicted != 0) {
		t.Fatalf("a store has %d of %d items, evicted %d", there, len(m.values), s.Evicted)
	}
	if gone := uint64(len(m.values)) - there; table.cfg.Mode == Cache && s.Evicted < gone {
		t.Fatalf("%d items are gone, %d counted as evicted", gone, s.Evicted)
	}
}

// reset empties a table between runs of one test, without mapping memory anew.
func (t *Table) reset() {
	for i := range t.partitions {
		p := &t.partitions[i]
		clear(p.indexMemory.Bytes())
		p.space = newCircular(p.space.end)
		p.freeSpare = 0
		p.linkSpares()
		p.items, p.evicted, p.full, p.liveBytes, p.credit = 0, 0, 0, 0, 0
	}
}

// checkInvariants walks everything and compares it with what the partition counts.
func (p *Partition) checkInvariants(t rapid.TB) {
	t.Helper()
	var items, live uint64
	seen := map[uint64]bool{}
	usedSpares := 0
	if p.space.gap() > p.space.capacity() {
		t.Fatalf("%d bytes used of %d", p.space.used, p.space.capacity())
	}
	for n := range p.buckets {
		home := &p.buckets[n]
		if home.version&1 != 0 {
			t.Fatalf("bucket %d is locked", n)
		}
		chained := 0
		for b := home; ; b = &p.spares[b.next-1] {
			filled := 0
			for i := range slotsPerBucket {
				if b.slots.tag(i) == 0 {
					if b.slots.offset(i) != 0 {
						t.Fatalf("bucket %d: an empty slot has offset %d", n, b.slots.offset(i))
					}
					continue
				}
				filled++
				offset := b.slots.offset(i)
				hash, m := *p.word(offset + wordBytes), p.meta(offset)
				if seen[offset] || p.home(hash) != &p.buckets[n] || tagOf(hash) != b.slots.tag(i) ||
					!p.space.holds(offset) {
					t.Fatalf("bucket %d slot %d: offset %d, hash %x, seen %v, in the log %v", n, i, offset, hash,
						seen[offset], p.space.holds(offset))
				}
				seen[offset] = true
				items++
				live += uint64(m.bytes())
			}
			if b != home {
				usedSpares++
				chained++
			}
			if chained > maxSpares {
				t.Fatalf("bucket %d has more than %d spares", n, maxSpares)
			}
			if b.next != 0 && filled != slotsPerBucket || b != home && filled == 0 {
				t.Fatalf("bucket %d: a chain's bucket has %d items and next %d", n, filled, b.next)
			}
			if b.next == 0 {
				break
			}
		}
	}
	if items != p.items || live != p.liveBytes {
		t.Fatalf("%d items of %d bytes, counted %d of %d", items, live, p.items, p.liveBytes)
	}
	free := 0
	for n := p.freeSpare; n != 0; n = p.spares[n-1].next {
		free++
	}
	if free+usedSpares != len(p.spares) {
		t.Fatalf("%d spares free, %d used, of %d", free, usedSpares, len(p.spares))
	}
	p.checkLog(t, seen)
}

// checkLog walks the log from head to tail. The log must parse, and hold every item that the index
// leads to.
func (p *Partition) checkLog(t rapid.TB, live map[uint64]bool) {
	t.Helper()
	c := p.space
	found := 0
	for c.used > 0 {
		m := p.meta(c.head)
		if m.bytes() < wordBytes || uint64(m.bytes()) > c.used || c.head+uint64(m.bytes()) > c.end {
			t.Fatalf("log at %d: an item of %d bytes with %d left", c.head, m.bytes(), c.used)
		}
		if live[c.head] {
			found++
		}
		c.release(uint64(m.bytes()))
	}
	if c.head != c.tail || found != len(live) {
		t.Fatalf("the log ends at %d, its tail is %d; %d of %d live items on the way", c.head, c.tail, found, len(live))
	}
}

// holds reports whether an offset lies between head and tail.
func (c *circular) holds(offset uint64) bool {
	return offset >= firstOffset && offset < c.end && c.age(offset) <= c.used
}

func newTable(t testing.TB, cfg Config) *Table {
	t.Helper()
	return must.Keep(New(cfg))(t)
}

// newTables makes a table of each mode.
func newTables(t testing.TB, cfg Config) (tables []*Table) {
	t.Helper()
	for _, cfg.Mode = range []Mode{Cache, Store} {
		for _, cfg.Access = range []Access{EREW, CREW} {
			tables = append(tables, newTable(t, cfg))
		}
	}
	return tables
}
