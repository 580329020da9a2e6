package partition

import "testing"

// checkInvariants walks everything and compares it with what the partition counts.
func (p *Partition) checkInvariants(t interface {
	Helper()
	Fatalf(string, ...any)
},
) {
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
				if seen[offset] || int(p.bucketOf(hash)) != n || tagOf(hash) != b.slots.tag(i) || !p.space.holds(offset) {
					t.Fatalf("bucket %d slot %d: offset %d, hash %x, seen %v, in the log %v", n, i, offset, hash, seen[offset], p.space.holds(offset))
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

// checkLog walks the log from head to tail: it must parse, and hold every item that the index leads to.
func (p *Partition) checkLog(t interface {
	Helper()
	Fatalf(string, ...any)
}, live map[uint64]bool,
) {
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
		c.give(uint64(m.bytes()))
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
	table, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}
