package partition

import (
	"unsafe"

	"dpukv/kvs"
)

// Depth is how many operations of a batch are in the pipeline at once.
const Depth = 64

// Op is one operation of a batch: a cache line.
type Op struct {
	Key []byte
	// Value is what a Set or Add stores; after a Get that was OK, what it found.
	Value  []byte
	Hash   uint64
	Code   kvs.Op
	Status kvs.Status // set by Execute
}

// Core is what one core does its operations with. It belongs to that core's goroutine.
type Core struct {
	table      *Table
	number     int
	gets, hits uint64
	moved      bool // a slot may have changed since its offset was noted

	// The pipeline's registers, one an operation.
	partitions [Depth]*Partition
	homes      [Depth]*bucket
	offsets    [Depth]uint64 // of the item that the tag leads to; 0: none
	addrs      [Depth]uintptr
}

// Execute does a batch in order, and appends the values that Gets find to out,
// each padded to whole words, as far as out's capacity goes: what does not fit has
// status [kvs.TooLarge]. It allocates nothing.
//
// Memory latency is hidden by three passes over up to [Depth] operations: ask for
// all buckets, then for all items that the buckets' tags lead to, then do the work.
func (c *Core) Execute(ops []Op, out []byte) []byte {
	for len(ops) > Depth {
		out = c.pipeline(ops[:Depth], out)
		ops = ops[Depth:]
	}
	return c.pipeline(ops, out)
}

func (c *Core) pipeline(ops []Op, out []byte) []byte {
	for i := range ops {
		hash := ops[i].Hash
		p := c.table.partition(hash)
		home := &p.buckets[p.bucketOf(hash)]
		c.partitions[i%Depth], c.homes[i%Depth] = p, home
		c.addrs[i%Depth] = uintptr(unsafe.Pointer(home))
	}
	prefetch(c.addrs[:len(ops)])
	c.moved = false
	for i := range ops {
		p := c.partitions[i%Depth]
		offset := uint64(0)
		if p.owner == c.number {
			offset = c.homes[i%Depth].slots.locate(tagOf(ops[i].Hash))
			c.addrs[i%Depth] = uintptr(p.log) + uintptr(offset)
		} else {
			c.addrs[i%Depth] = p.hintShared(c.homes[i%Depth], tagOf(ops[i].Hash))
		}
		c.offsets[i%Depth] = offset
	}
	prefetch(c.addrs[:len(ops)])
	for i := range ops {
		op := &ops[i]
		p, offset := c.partitions[i%Depth], c.offsets[i%Depth]
		if offset != 0 && !c.moved {
			if m, ok := p.holds(offset, op.Hash, op.Key); ok {
				if op.Code == kvs.Get {
					out, op.Value, op.Status = p.answer(out, offset, m)
					c.gets++
					c.hits++
					continue
				}
				if op.Code == kvs.Set && itemBytes(len(op.Key), len(op.Value)) <= m.bytes() {
					p.overwrite(c.homes[i%Depth], offset, m, op.Value)
					op.Status = kvs.OK
					continue
				}
			}
		}
		out = c.do(p, op, out)
	}
	return out
}

// locate is the offset of the first item with this tag, 0 where there is none.
func (s *slots) locate(tag uint64) uint64 {
	set := s.matches(tag)
	if set == 0 {
		return 0
	}
	return s.offset(slotIn(set))
}

// do does what is not a plain hit.
func (c *Core) do(p *Partition, op *Op, out []byte) []byte {
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
	default:
		panic("partition: " + op.Code.String())
	}
	return out
}

// doForeign does what a core may do in a partition that another core owns.
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
