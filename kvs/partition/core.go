package partition

import (
	"unsafe"

	"dpukv/kvs"
)

const (
	lineBytes = 64
	// maxLines is the most cache lines of an item to prefetch. The processor's own prefetcher
	// follows a longer run.
	maxLines = 8
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
	gets, hits uint64
	moved      bool // a slot may have changed since its offset was noted

	// These are the pipeline's registers, one per operation.
	partitions [Depth]*Partition
	homes      [Depth]*bucket
	offsets    [Depth]uint64 // of the item that the tag leads to; 0: none
	addrs      [Depth]uintptr
}

// Execute executes a batch in order. It appends the values that Gets find to out, each padded to
// whole words, as far as out's capacity goes. A value that does not fit has status [kvs.TooLarge].
// Execute allocates nothing.
//
// Three passes over up to [Depth] operations hide memory latency. The first prefetches all buckets,
// the second all items that the buckets' tags lead to, and the third does the work.
func (c *Core) Execute(ops []Op, out []byte) []byte {
	for len(ops) > Depth {
		out = c.pipeline(ops[:Depth], out)
		ops = ops[Depth:]
	}
	return c.pipeline(ops, out)
}

func (c *Core) pipeline(ops []Op, out []byte) []byte {
	for from := 0; from < len(ops); from += stride {
		c.fetchBuckets(ops, from, min(from+stride, len(ops)))
	}
	c.moved = false
	for from := 0; from < len(ops); from += stride {
		to := min(from+stride, len(ops))
		c.fetchItems(ops, from, to)
		c.fetchRest(from, to)
	}
	return c.finish(ops, out)
}

func (c *Core) fetchBuckets(ops []Op, from, to int) {
	for i := from; i < to; i++ {
		hash := ops[i].Hash
		p := c.table.partition(hash)
		home := &p.buckets[p.bucketOf(hash)]
		c.partitions[i%Depth], c.homes[i%Depth] = p, home
		c.addrs[i%Depth] = uintptr(unsafe.Pointer(home))
	}
	prefetch(c.addrs[from:to])
}

func (c *Core) fetchItems(ops []Op, from, to int) {
	for i := from; i < to; i++ {
		p, tag := c.partitions[i%Depth], tagOf(ops[i].Hash)
		if p.owner == c.number {
			home := c.homes[i%Depth]
			offset := home.slots.locate(tag)
			c.offsets[i%Depth] = offset
			c.addrs[i%Depth] = uintptr(p.log) + uintptr(offset)
			if offset == 0 && home.next != 0 { // the item can only be further down the chain
				c.addrs[i%Depth] = uintptr(unsafe.Pointer(&p.spares[home.next-1]))
			}
		} else {
			c.offsets[i%Depth] = 0
			c.addrs[i%Depth] = p.hintShared(c.homes[i%Depth], tag)
		}
	}
	prefetch(c.addrs[from:to])
}

// fetchRest prefetches the further cache lines of the items, as many as the partition's mean item
// has.
func (c *Core) fetchRest(from, to int) {
	p := c.partitions[from%Depth]
	if p.owner != c.number {
		return
	}
	for range min(p.meanLines(), maxLines) - 1 {
		for i := from; i < to; i++ {
			if c.offsets[i%Depth] != 0 {
				c.addrs[i%Depth] = min(c.addrs[i%Depth]+lineBytes,
					c.partitions[i%Depth].lastWordAt())
			}
		}
		prefetch(c.addrs[from:to])
	}
}

// finish executes the operations. It handles the study's items, a word of key and a word of value,
// without a call.
func (c *Core) finish(ops []Op, out []byte) []byte {
	for i := range ops {
		op := &ops[i]
		p, offset := c.partitions[i%Depth], c.offsets[i%Depth]
		if offset == 0 || c.moved {
			out = c.do(p, op, out)
			continue
		}
		if !p.isWords(offset, op.Key) {
			out = c.finishAny(i%Depth, op, out)
			continue
		}
		value := p.word(offset + headerBytes + wordBytes)
		end := len(out) + wordBytes
		switch {
		case op.Code == kvs.Get && end <= cap(out):
			op.Value = out[len(out):end:end]
			out = out[:end]
			*firstWord(op.Value) = *value
			c.gets++
			c.hits++
			op.Status = kvs.OK
		case op.Code == kvs.Set && len(op.Value) == wordBytes:
			home := c.homes[i%Depth]
			p.lock(home)
			p.store(value, *firstWord(op.Value))
			p.unlock(home)
			op.Status = kvs.OK
		default:
			out = c.finishAny(i%Depth, op, out)
		}
	}
	return out
}

// finishAny executes an operation at once if its item is the one that fetchItems found.
func (c *Core) finishAny(i int, op *Op, out []byte) []byte {
	p, offset := c.partitions[i], c.offsets[i]
	m, ok := p.holds(offset, op.Hash, op.Key)
	switch {
	case !ok:
		return c.do(p, op, out)
	case op.Code == kvs.Get:
		out, op.Value, op.Status = p.answer(out, offset, m)
		c.count(op.Status)
		return out
	case op.Code == kvs.Set && len(op.Value) <= kvs.MaxValueBytes &&
		itemBytes(len(op.Key), len(op.Value)) <= m.bytes():
		p.overwrite(c.homes[i], offset, m, op.Value)
		op.Status = kvs.OK
		return out
	}
	return c.do(p, op, out)
}

// locate returns the offset of the first item with this tag, or 0 if there is none.
func (s *slots) locate(tag uint64) uint64 {
	set := s.matches(tag)
	if set == 0 {
		return 0
	}
	return s.offset(slotIn(set))
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
