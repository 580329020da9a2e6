package partition

import "dpukv/internal/order"

// slotRef is a slot in the index and the first bucket of its chain.
type slotRef struct {
	home, bucket *bucket
	slot         int
}

func (r slotRef) offset() uint64 { return r.bucket.slots.offset(r.slot) }

// find looks a key up. ok is false if the key does not exist.
func (p *Partition) find(hash uint64, key []byte) (ref slotRef, m meta, ok bool) {
	home := p.home(hash)
	tag := tagOf(hash)
	for b := home; ; b = &p.spares[b.next-1] {
		for set := b.slots.matches(tag); set != 0; set &= set - 1 {
			i := slotIn(set)
			if m, ok := p.holds(b.slots.offset(i), hash, key); ok {
				return slotRef{home, b, i}, m, true
			}
		}
		if b.next == 0 {
			return slotRef{}, 0, false
		}
	}
}

// slotOf returns the slot that points to the item at offset. ok is false for a dead item, which no
// slot points to.
func (p *Partition) slotOf(hash, offset uint64) (slotRef, bool) {
	home := p.home(hash)
	tag := tagOf(hash)
	for b := home; ; b = &p.spares[b.next-1] {
		for set := b.slots.matches(tag); set != 0; set &= set - 1 {
			if i := slotIn(set); b.slots.offset(i) == offset {
				return slotRef{home, b, i}, true
			}
		}
		if b.next == 0 {
			return slotRef{}, false
		}
	}
}

// emptySlot returns a free slot of the chain that starts with home. A full chain grows by a spare
// bucket (store) or gives up its oldest item (cache). emptySlot fails when the chain has maxSpares,
// or when no spare is left.
func (p *Partition) emptySlot(home *bucket) (slotRef, bool) {
	last, spares := home, 0
	for last.next != 0 {
		last = &p.spares[last.next-1]
		spares++
	}
	if set := last.slots.matches(0); set != 0 {
		return slotRef{home, last, slotIn(set)}, true
	}
	if p.mode == Cache {
		return p.evictOldest(home), true
	}
	if spares == maxSpares {
		return slotRef{}, false
	}
	return p.extend(home, last)
}

// evictOldest frees the slot of the bucket's oldest item.
func (p *Partition) evictOldest(b *bucket) slotRef {
	oldest := slotRef{home: b, bucket: b}
	for i := range slotsPerBucket {
		if p.space.age(b.slots.offset(i)) > p.space.age(oldest.offset()) {
			oldest.slot = i
		}
	}
	p.remove(oldest, p.meta(oldest.offset()))
	p.evicted++
	return oldest
}

// extend appends a spare bucket to a chain.
func (p *Partition) extend(home, last *bucket) (slotRef, bool) {
	if p.freeSpare == 0 {
		return slotRef{}, false
	}
	number := p.freeSpare
	spare := &p.spares[number-1]
	p.lock(home)
	p.freeSpare = spare.next
	p.storeNext(spare, 0)
	p.storeNext(last, number)
	p.unlock(home)
	return slotRef{home, spare, 0}, true
}

// insert points a free slot to a new item.
func (p *Partition) insert(ref slotRef, tag, offset uint64, n int) {
	p.lock(ref.home)
	p.setSlot(ref, tag, offset)
	p.unlock(ref.home)
	p.items++
	p.liveBytes += uint64(n)
}

// remove takes an item out of the index. It fills the gap from the chain's end, so that only a
// chain's last bucket has empty slots. A spare bucket becomes free as soon as its chain no longer
// needs it.
func (p *Partition) remove(ref slotRef, m meta) {
	p.lock(ref.home)
	if ref.home.next == 0 {
		p.setSlot(ref, 0, 0)
	} else {
		p.shrink(ref)
	}
	p.unlock(ref.home)
	p.items--
	p.liveBytes -= uint64(m.bytes())
}

// shrink overwrites a slot with one of its chain's last bucket.
func (p *Partition) shrink(ref slotRef) {
	prev, last := ref.home, &p.spares[ref.home.next-1]
	for last.next != 0 {
		prev, last = last, &p.spares[last.next-1]
	}
	left := 0
	top := slotRef{home: ref.home, bucket: last}
	for i := range slotsPerBucket {
		if last.slots.tag(i) != 0 {
			top.slot = i
			left++
		}
	}
	p.setSlot(ref, last.slots.tag(top.slot), top.offset()) // no effect if ref is the last slot
	p.setSlot(top, 0, 0)
	if left == 1 {
		number := prev.next
		p.storeNext(prev, 0)
		p.storeNext(last, p.freeSpare)
		p.freeSpare = number
	}
}

// setSlot changes a slot under its chain's lock. It writes word by word where other cores may be
// reading.
func (p *Partition) setSlot(ref slotRef, tag, offset uint64) {
	s := &ref.bucket.slots
	if !p.shared {
		s.set(ref.slot, tag, offset)
		return
	}
	changed := *s
	changed.set(ref.slot, tag, offset)
	for i := range s {
		if s[i] != changed[i] {
			order.Store64(&s[i], changed[i])
		}
	}
}
