package partition

// reclaimPace is how many bytes of the log a store looks at for each byte that it
// appends while its free room is below the slack. The slack is an eighth of the
// log, so looking at 16 bytes a byte passes the whole log before the slack is half
// used up, and at least the slack's worth of dead bytes is found on the way: an
// append never has to search the whole log at once.
const reclaimPace = 16

// alloc appends n bytes' room to the log, at the cost of the oldest items
// (cache) or of moving live ones together (store, whose caller has checked
// that there is room: see [Partition.fits]).
func (p *Partition) alloc(n uint64) (offset uint64) {
	if p.mode == Store {
		p.clean(n)
	} else {
		for p.space.gap() < n+p.space.padding(n) {
			p.evictHead()
		}
	}
	return p.place(n)
}

// place takes n bytes at the tail, in one piece.
func (p *Partition) place(n uint64) (offset uint64) {
	if pad := p.space.padding(n); pad > 0 {
		at := p.space.take(pad)
		p.store(p.word(at), uint64(makeMeta(0, 0, int(pad/wordBytes))))
	}
	return p.space.take(n)
}

// fits reports whether a store may hold n more live bytes.
func (p *Partition) fits(n uint64) bool { // n may be "negative": the sum wraps back
	return p.mode == Cache || p.liveBytes+n+p.space.slack <= p.space.capacity()
}

// evictHead gives up the oldest item, or padding.
func (p *Partition) evictHead() {
	m := p.meta(p.space.head)
	if m.keyBytes() > 0 {
		hash := *p.word(p.space.head + wordBytes)
		if ref, ok := p.slotOf(hash, p.space.head); ok {
			p.remove(ref, m)
			p.evicted++
		}
	}
	p.space.give(uint64(m.bytes()))
}

// clean frees room for n bytes and for the largest item that may have to be
// moved next, each with as much padding before it.
func (p *Partition) clean(n uint64) {
	for budget := int64(reclaimPace * n); budget > 0 && p.space.gap() < p.space.slack; {
		budget -= int64(p.cleanHead())
	}
	for p.space.gap() < n+3*maxItemBytes {
		p.cleanHead()
	}
}

// cleanHead moves the item at the head to the tail where it is live, and gives up its place.
func (p *Partition) cleanHead() (bytes uint64) {
	head := p.space.head
	m := p.meta(head)
	bytes = uint64(m.bytes())
	if m.keyBytes() > 0 {
		hash := *p.word(head + wordBytes)
		if ref, ok := p.slotOf(hash, head); ok {
			p.move(ref, head, m)
		}
	}
	p.space.give(bytes)
	return bytes
}

// move copies a live item to the tail and points its slot there.
func (p *Partition) move(ref slotRef, from uint64, m meta) {
	to := p.place(uint64(m.bytes()))
	p.copyItem(to, from, m.bytes())
	p.lock(ref.home)
	p.setSlot(ref, ref.bucket.slots.tag(ref.slot), to)
	p.unlock(ref.home)
}

func (p *Partition) copyItem(to, from uint64, n int) {
	if !p.shared {
		copy(p.span(to, n), p.span(from, n))
		return
	}
	for i := uint64(0); i < uint64(n); i += wordBytes {
		p.store(p.word(to+i), *p.word(from + i))
	}
}
