package partition

const (
	// minPace is the number of log bytes that a store examines per byte that it appends, while its
	// free room is below the slack. The slack is an eighth of the log. A pass over the log then
	// ends before half of the slack is used up, and frees everything that was dead when it began. A
	// client can make two passes use up 14/15 of the slack, but not more: it deletes exactly the
	// items that were passed last.
	minPace = 16
	// maxPace is the pace of small logs, of which a few large items are a considerable part.
	maxPace = 64
	// spareItems is the part of the slack, in items of the largest size, that passes must leave. It
	// holds an item to append, one to move, and the padding before each. The sum is doubled,
	// because an append and its padding reduce the slack before a pass begins.
	spareItems = 8
)

// paceOf returns the pace at which the slack lasts for two passes, whichever items die. In logs
// below 5.5 MB no pace is enough: see [Partition.clean].
func paceOf(capacity, slack uint64) uint64 {
	if slack <= spareItems*maxItemBytes {
		return maxPace
	}
	left := slack - spareItems*maxItemBytes
	return min(max(minPace, 1+(2*(capacity-slack)+left-1)/left), maxPace)
}

// makeRoom frees room at the tail for an item of n bytes. A cache evicts the oldest items; a store
// moves live items together. A store refuses an item that would fill its slack. replaced is the
// size of the item's own predecessor.
func (p *Partition) makeRoom(n, replaced int) bool {
	if p.mode == Store {
		if !p.fits(uint64(n - replaced)) {
			return false
		}
		p.clean(uint64(n))
		return true
	}
	for p.space.gap() < uint64(n)+p.space.padding(uint64(n)) {
		p.evictHead()
	}
	return true
}

// reserve takes n contiguous bytes at the tail.
func (p *Partition) reserve(n uint64) (offset uint64) {
	if pad := p.space.padding(n); pad > 0 {
		at := p.space.reserve(pad)
		p.store(p.word(at), uint64(makeMeta(0, 0, int(pad/wordBytes))))
	}
	return p.space.reserve(n)
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
	p.space.release(uint64(m.bytes()))
}

// clean frees room for n bytes and for the largest item that may have to move next, each with as
// much padding before it. Items are whole, so clean may examine more than its pace. Later calls
// deduct the excess, so small items cannot make it move large ones one by one.
func (p *Partition) clean(n uint64) {
	p.credit = min(p.credit, 0) + int64(p.space.pace*n)
	for p.credit > 0 && p.space.gap() < p.space.slack {
		p.credit -= int64(p.cleanHead())
	}
	// Only a small log comes here. The slack exceeds the requested room, so all dead bytes together
	// are enough, and one pass finds them.
	for p.space.gap() < n+3*maxItemBytes {
		p.cleanHead()
	}
}

// cleanHead moves the item at the head to the tail if it is live, and gives up its place.
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
	p.space.release(bytes)
	return bytes
}

// move copies a live item to the tail and points its slot there.
func (p *Partition) move(ref slotRef, from uint64, m meta) {
	to := p.reserve(uint64(m.bytes()))
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
