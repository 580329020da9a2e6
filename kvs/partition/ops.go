package partition

import "dpukv/kvs"

// get appends the value of a key to out.
func (p *Partition) get(hash uint64, key, out []byte) (grown, value []byte, status kvs.Status) {
	ref, m, ok := p.find(hash, key)
	if !ok {
		return out, nil, kvs.NotFound
	}
	return p.answer(out, ref.offset(), m)
}

func (p *Partition) answer(
	out []byte, offset uint64, m meta,
) (grown, value []byte, status kvs.Status) {
	grown, value, ok := p.appendValue(out, offset, m)
	if !ok {
		return out, nil, kvs.TooLarge
	}
	return grown, value, kvs.OK
}

// legal reports whether the operation exists and its lengths fit an item. Readers of network
// requests report such errors to the client; this check protects the memory in any case.
func (op *Op) legal() bool {
	return op.Code.Valid() && len(op.Key) > 0 && len(op.Key) <= kvs.MaxKeyBytes &&
		len(op.Value) <= kvs.MaxValueBytes
}

// set stores a value, whether the key exists or not.
func (p *Partition) set(hash uint64, key, value []byte) kvs.Status {
	ref, m, ok := p.find(hash, key)
	if !ok {
		return p.put(hash, key, value, 0)
	}
	if itemBytes(len(key), len(value)) <= m.bytes() {
		p.overwrite(ref.home, ref.offset(), m, value)
		return kvs.OK
	}
	return p.put(hash, key, value, m.bytes())
}

// add stores a value if the key does not exist.
func (p *Partition) add(hash uint64, key, value []byte) kvs.Status {
	if _, _, ok := p.find(hash, key); ok {
		return kvs.Exists
	}
	return p.put(hash, key, value, 0)
}

func (p *Partition) delete(hash uint64, key []byte) kvs.Status {
	ref, m, ok := p.find(hash, key)
	if !ok {
		return kvs.NotFound
	}
	p.remove(ref, m)
	return kvs.OK
}

// overwrite changes the value of an item in place. The item's room is large enough.
func (p *Partition) overwrite(home *bucket, offset uint64, m meta, value []byte) {
	p.lock(home)
	if m.valueBytes() != len(value) {
		p.store(p.word(offset), uint64(makeMeta(m.keyBytes(), len(value), m.bytes()/wordBytes)))
	}
	p.fill(offset+uint64(m.valueAt()), value)
	p.unlock(home)
}

// put appends an item and points the index to it. replaced is the size of the item that it
// replaces; 0 when the key is new. Making room may drop or move that item, so put looks it up again
// afterwards. A refused item takes no room.
func (p *Partition) put(hash uint64, key, value []byte, replaced int) kvs.Status {
	n := itemBytes(len(key), len(value))
	if !p.makeRoom(n, replaced) {
		p.full++
		return kvs.Full
	}
	var ref slotRef
	var old meta
	known := false
	if replaced > 0 {
		ref, old, known = p.find(hash, key)
	}
	if !known {
		var ok bool
		if ref, ok = p.emptySlot(p.home(hash)); !ok {
			p.full++
			return kvs.Full
		}
	}
	offset := p.reserve(uint64(n))
	p.writeItem(offset, makeMeta(len(key), len(value), n/wordBytes), hash, key, value)
	if known {
		p.replace(ref, old, offset, n)
	} else {
		p.insert(ref, tagOf(hash), offset, n)
	}
	return kvs.OK
}

// replace points a key's slot to its new item.
func (p *Partition) replace(ref slotRef, old meta, offset uint64, n int) {
	p.lock(ref.home)
	p.setSlot(ref, ref.bucket.slots.tag(ref.slot), offset)
	p.unlock(ref.home)
	p.liveBytes += uint64(n) - uint64(old.bytes())
}
