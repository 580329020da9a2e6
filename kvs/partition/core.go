package partition

import "dpukv/kvs"

const (
	lineBytes = 64
	// maxFetch is how much of an item to fetch at most. The processor's own prefetcher follows a
	// longer run.
	maxFetch = 8 * lineBytes
)

// Depth is the number of operations in the pipeline at once.
const Depth = 64

// Op is one operation of a batch. It takes one cache line.
type Op struct {
	Key []byte
	// Value is the value that a Set or Add stores. After a Get with status OK it is the value
	// found.
	Value  []byte
	Hash   uint64
	Code   kvs.Op
	Status kvs.Status // set by Execute
}

// Core executes the operations of one core. It belongs to that core's goroutine.
type Core struct {
	table      *Table
	number     int
	own        *Partition // the first of its partitions, or nil
	places     []place    // of all partitions
	gets, hits uint64
	moved      bool // a slot may have changed since its offset was noted

	// These are the pipeline's registers, one per operation.
	addrs    [Depth]uintptr // of its bucket
	offsets  [Depth]uint64  // of the item that the tag leads to, with foreignBit; 0: none
	versions [Depth]uint32  // of its bucket, before the offset was read
}

// Execute executes a batch in order. It appends the values that Gets find to out, each padded to
// whole words, as far as out's capacity goes. A value that does not fit has status [kvs.TooLarge].
// Execute allocates nothing.
//
// Three passes over up to [Depth] operations hide memory latency. Two locate all items, see
// locate.go, and the third does the work.
func (c *Core) Execute(ops []Op, out []byte) []byte {
	for len(ops) > Depth {
		out = c.pipeline(ops[:Depth], out)
		ops = ops[Depth:]
	}
	return c.pipeline(ops, out)
}

func (c *Core) pipeline(ops []Op, out []byte) []byte {
	locateBuckets(ops, c.places, c.addrs[:])
	locateItems(ops, c.places, c.addrs[:], c.offsets[:], c.versions[:], reachOf(c.itemBytes()))
	c.moved = false
	return c.finish(ops, out)
}

// itemBytes returns how much of each item to fetch: as much as the core's own mean item has.
func (c *Core) itemBytes() int {
	if c.own == nil || c.own.items == 0 {
		return wordBytes
	}
	return min(int(c.own.liveBytes/c.own.items), maxFetch)
}

// finish executes the operations. It handles the study's items, a word of key and a word of value,
// without a call.
func (c *Core) finish(ops []Op, out []byte) []byte {
	offsets := c.offsets[:len(ops)]
	hits := uint64(0)
	for i := range ops {
		op := &ops[i]
		p, offset := c.table.partition(op.Hash), offsets[i]
		if offset&foreignBit != 0 {
			if grown, ok := c.getNoted(p, i, op, out); ok {
				out = grown
				continue
			}
			offset = 0
		}
		if offset == 0 || c.moved {
			out = c.do(p, op, out)
			continue
		}
		if !p.isWords(offset, op.Key) {
			out = c.finishAny(p, offset, op, out)
			continue
		}
		value := p.word(offset + headerBytes + wordBytes)
		end := len(out) + wordBytes
		switch {
		case op.Code == kvs.Get && end <= cap(out):
			op.Value = out[len(out):end:end]
			out = out[:end]
			*firstWord(op.Value) = *value
			hits++
			op.Status = kvs.OK
		case op.Code == kvs.Set && len(op.Value) == wordBytes:
			home := p.home(op.Hash)
			p.lock(home)
			p.store(value, *firstWord(op.Value))
			p.unlock(home)
			op.Status = kvs.OK
		default:
			out = c.finishAny(p, offset, op, out)
		}
	}
	c.gets += hits
	c.hits += hits
	return out
}

// finishAny executes an operation at once if its item is the one that locateItems found.
func (c *Core) finishAny(p *Partition, offset uint64, op *Op, out []byte) []byte {
	m := p.meta(offset)
	switch {
	case !p.hasKey(offset, m, op.Key):
		return c.do(p, op, out)
	case op.Code == kvs.Get:
		n, at := m.valueBytes(), len(out) // appendValue without its call, a tenth of the time
		end := at + padded(n)
		if end > cap(out) {
			break
		}
		out = out[:end]
		op.Value = out[at : at+n : at+n]
		p.copyValue(out[at:], offset, m)
		op.Status = kvs.OK
		c.count(op.Status)
		return out
	case op.Code == kvs.Set && len(op.Value) <= kvs.MaxValueBytes &&
		itemBytes(len(op.Key), len(op.Value)) <= m.bytes():
		p.overwrite(p.home(op.Hash), offset, m, op.Value)
		op.Status = kvs.OK
		return out
	}
	return c.do(p, op, out)
}

// do executes an operation that is not a plain hit.
func (c *Core) do(p *Partition, op *Op, out []byte) []byte {
	if !op.legal() {
		op.Status = kvs.Illegal
		return out
	}
	c.moved = c.moved || op.Code.Writes()
	if p.owner != c.number {
		return c.doForeign(p, op, out)
	}
	switch op.Code {
	case kvs.Get:
		out, op.Value, op.Status = p.get(op.Hash, op.Key, out)
		c.count(op.Status)
	case kvs.Set:
		op.Status = p.set(op.Hash, op.Key, op.Value)
	case kvs.Add:
		op.Status = p.add(op.Hash, op.Key, op.Value)
	case kvs.Delete:
		op.Status = p.delete(op.Hash, op.Key)
	}
	return out
}

// doForeign executes an operation in a partition that another core owns.
func (c *Core) doForeign(p *Partition, op *Op, out []byte) []byte {
	if op.Code != kvs.Get || !p.shared {
		op.Value, op.Status = nil, kvs.WrongWorker
		return out
	}
	out, op.Value, op.Status = p.getShared(op.Hash, op.Key, out)
	c.count(op.Status)
	return out
}

func (c *Core) count(get kvs.Status) {
	c.gets++
	if get != kvs.NotFound {
		c.hits++
	}
}

// Stats are one core's counters for the partitions that it owns, and for its Gets in any partition.
type Stats struct {
	Items      uint64 // live now
	LiveBytes  uint64 // of the log, used by live items
	Evicted    uint64 // evicted to make room (cache)
	Full       uint64 // writes refused for lack of room (store)
	Gets, Hits uint64
}

// Stats returns the counters. Only the core's own goroutine may call it.
func (c *Core) Stats() Stats {
	s := Stats{Gets: c.gets, Hits: c.hits}
	for i := range c.table.partitions {
		if p := &c.table.partitions[i]; p.owner == c.number {
			s.Items += p.items
			s.LiveBytes += p.liveBytes
			s.Evicted += p.evicted
			s.Full += p.full
		}
	}
	return s
}

// Has reports whether the core's own partition has an item of a key.
func (c *Core) Has(hash uint64, key []byte) bool {
	_, _, has := c.table.partition(hash).find(hash, key)
	return has
}
