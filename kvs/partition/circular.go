package partition

const (
	// firstOffset keeps offset 0 free, because it marks an empty slot.
	firstOffset = 64
	// minSlack is the least room that a store keeps free to move items.
	minSlack = 8 * maxItemBytes
)

// circular is the log's arithmetic: a ring of bytes, filled at the tail and emptied at the head.
// Items do not wrap: the rest at the end is padding.
type circular struct {
	end        uint64 // of the memory; items lie in [firstOffset, end)
	head, tail uint64
	used       uint64 // from head to tail, padding included
	passed     uint64 // total bytes passed by the head
	slack      uint64 // store mode: never filled with live items
	pace       uint64 // store mode: bytes examined per byte appended, see paceOf
}

func newCircular(size uint64) circular {
	capacity := size - firstOffset
	slack := max(capacity/8, minSlack)
	return circular{
		end: size, head: firstOffset, tail: firstOffset,
		slack: slack, pace: paceOf(capacity, slack),
	}
}

func (c *circular) capacity() uint64 { return c.end - firstOffset }
func (c *circular) gap() uint64      { return c.capacity() - c.used }

// padding returns the bytes to skip at the end of the memory before n bytes fit in one piece.
func (c *circular) padding(n uint64) uint64 {
	if left := c.end - c.tail; left < n {
		return left
	}
	return 0
}

func (c *circular) wrapped(offset uint64) uint64 {
	if offset == c.end {
		return firstOffset
	}
	return offset
}

// reserve moves the tail past n bytes. The caller has checked that they are free and in one piece.
func (c *circular) reserve(n uint64) (offset uint64) {
	offset = c.tail
	c.tail = c.wrapped(offset + n)
	c.used += n
	return offset
}

// release moves the head past n bytes.
func (c *circular) release(n uint64) {
	c.head = c.wrapped(c.head + n)
	c.passed += n
	c.used -= n
}

// age is the distance of an offset behind the tail: the larger, the older.
func (c *circular) age(offset uint64) uint64 {
	if offset < c.tail {
		return c.tail - offset
	}
	return c.tail + c.capacity() - offset
}
