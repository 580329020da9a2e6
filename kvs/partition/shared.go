package partition

import (
	"sync/atomic"
	"unsafe"

	"dpukv/internal/order"
	"dpukv/kvs"
)

// CREW uses a seqlock. The owner makes a bucket's version odd, changes the chain or the items it
// leads to, and makes the version even again. A reader takes an even version, reads, and accepts
// its data if the version is still the same. The owner reuses an item's room only after it has
// removed the item's slot under the bucket's version. So one version covers the bucket, its chain,
// and the items.
//
// Readers read every shared word atomically, and the owner writes it atomically. The order of
// sync/atomic (sequential consistency) is all that the argument needs, on any architecture, and the
// race detector follows it.
//
// A reader may also take the version long before, when it locates a batch's items (getNoted). The
// assembly that does so loads the version as sync/atomic would, then the slots plainly. That is
// enough, because the item's address comes from the slots: see "slot loaded plainly" in
// TestOrderOfReusedRoom.
//
// A seqlock can fail in two ways where stores and loads are reordered, as on arm64:
//
//   - A reader takes a new word for part of an old version. This can't happen: a word's STLR comes
//     after all earlier accesses, so a reader that sees the new value also sees the odd version
//     stored before it. The reader's second load of the version comes after its load of the word,
//     because that load is an LDAR.
//   - A reader takes an old word for part of a new version. This can't happen: the even version's
//     STLR comes after all words. The reader's first load of the version is an LDAR, which comes
//     before its loads of words.
//
// On amd64 plain stores suffice for the words and the even version (internal/order). The odd
// version needs an atomic store: the compiler may drop a plain one that a later store overwrites.
// TestOrderOfSeqlock and TestOrderOfReusedRoom check the argument against all executions that Armv8
// allows. They find the wrong execution if any of these orders is missing. TestLinearizable would
// fail on an Arm machine. Under qemu-user on amd64 it checks the code compiled for Arm, but not
// Arm's memory order.

func (p *Partition) lock(home *bucket) {
	if p.shared {
		atomic.StoreUint32(&home.version, home.version+1)
	}
}

func (p *Partition) unlock(home *bucket) {
	if p.shared {
		order.Store32(&home.version, home.version+1)
	}
}

// store writes a word that readers on other cores may see.
func (p *Partition) store(at *uint64, v uint64) {
	if p.shared {
		order.Store64(at, v)
	} else {
		*at = v
	}
}

func (p *Partition) storeNext(b *bucket, number uint32) {
	if p.shared {
		atomic.StoreUint32(&b.next, number)
	} else {
		b.next = number
	}
}

// fillShared copies src into the log word by word.
func (p *Partition) fillShared(offset uint64, src []byte) {
	for len(src) >= wordBytes {
		order.Store64(p.word(offset), *firstWord(src))
		offset += wordBytes
		src = src[wordBytes:]
	}
	if len(src) > 0 {
		order.Store64(p.word(offset), partialWord(src))
	}
}

// partialWord returns a word that starts with the fewer than eight bytes of src.
func partialWord(src []byte) (w uint64) {
	for i, b := range src {
		w |= uint64(b) << (8 * i)
	}
	return w
}

// getShared is get for a core that does not own the partition. readerBackoff decides how it waits.
func (p *Partition) getShared(
	hash uint64, key, out []byte,
) (grown, value []byte, status kvs.Status) {
	home := p.home(hash)
	for wait := (readerBackoff{}); ; {
		before := atomic.LoadUint32(&home.version)
		if before&1 != 0 {
			wait.locked()
			continue
		}
		grown, value, status = p.tryGet(home, hash, key, out)
		if atomic.LoadUint32(&home.version) == before {
			return grown, value, status
		}
		if wait.outrun() {
			return out, nil, kvs.WrongWorker
		}
	}
}

// getNoted is a Get of the study's items, a word of key and a word of value, from another core's
// partition. Operation i's item is where locateItems noted, if its bucket still has the version
// noted. If getNoted returns false, doForeign finds the answer.
func (c *Core) getNoted(p *Partition, i int, op *Op, out []byte) (grown []byte, ok bool) {
	offset, before := c.offsets[i]&^foreignBit, c.versions[i]
	end := len(out) + wordBytes
	if !p.shared || op.Code != kvs.Get || len(op.Key) != wordBytes ||
		end > cap(out) || before&1 != 0 ||
		offset < firstOffset || offset > p.space.end-uint64(wordItem.bytes()) ||
		offset%wordBytes != 0 || meta(p.loadWord(offset)) != wordItem ||
		p.loadWord(offset+headerBytes) != *firstWord(op.Key) {
		return out, false
	}
	value := p.loadWord(offset + headerBytes + wordBytes)
	if atomic.LoadUint32(&p.home(op.Hash).version) != before {
		return out, false
	}
	op.Value, op.Status = out[len(out):end:end], kvs.OK
	*firstWord(op.Value) = value
	c.count(kvs.OK)
	return out[:end], true
}

// tryGet reads data that may change concurrently. Whatever it reads, it stays inside the memory and
// terminates.
func (p *Partition) tryGet(
	home *bucket, hash uint64, key, out []byte,
) (grown, value []byte, status kvs.Status) {
	tag := tagOf(hash)
	b := home
	for hops := 0; hops <= maxSpares; hops++ {
		s := b.slots.snapshot()
		for set := s.matches(tag); set != 0; set &= set - 1 {
			offset := s.offset(slotIn(set))
			if m, ok := p.holdsShared(offset, hash, key); ok {
				return p.appendShared(out, offset, m)
			}
		}
		next := atomic.LoadUint32(&b.next)
		if next == 0 || int(next) > len(p.spares) {
			break
		}
		b = &p.spares[next-1]
	}
	return out, nil, kvs.NotFound
}

func (p *Partition) loadWord(offset uint64) uint64 { return atomic.LoadUint64(p.word(offset)) }

// holdsShared is holds, and also checks that the item lies in the log.
func (p *Partition) holdsShared(offset, hash uint64, key []byte) (meta, bool) {
	if offset < firstOffset || offset+headerBytes > p.space.end || offset%wordBytes != 0 {
		return 0, false
	}
	m := meta(p.loadWord(offset))
	if p.loadWord(offset+wordBytes) != hash || m.keyBytes() != len(key) ||
		offset+uint64(m.valueAt()+padded(m.valueBytes())) > p.space.end {
		return 0, false
	}
	at := offset + headerBytes
	for ; len(key) >= wordBytes; key = key[wordBytes:] {
		if p.loadWord(at) != *firstWord(key) {
			return 0, false
		}
		at += wordBytes
	}
	if len(key) == 0 {
		return m, true
	}
	mask := uint64(1)<<(8*len(key)) - 1
	return m, p.loadWord(at)&mask == partialWord(key)
}

// appendShared is appendValue, one word at a time.
func (p *Partition) appendShared(
	out []byte, offset uint64, m meta,
) (grown, value []byte, status kvs.Status) {
	n := m.valueBytes()
	at := len(out)
	end := at + padded(n)
	if end > cap(out) {
		return out, nil, kvs.TooLarge
	}
	grown = out[:end]
	from := offset + uint64(m.valueAt())
	for i := 0; i < n; i += wordBytes {
		w := p.loadWord(from + uint64(i))
		if left := n - i; left < wordBytes {
			w &= 1<<(8*left) - 1
		}
		*(*uint64)(unsafe.Pointer(&grown[at+i])) = w
	}
	return grown, grown[at : at+n : at+n], kvs.OK
}
