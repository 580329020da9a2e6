package partition

import (
	"unsafe"

	"dpukv/kvs"
)

const (
	wordBytes   = 8
	headerBytes = 2 * wordBytes
	// maxItemBytes is the size of an item with the longest key and the longest value.
	maxItemBytes = headerBytes + (kvs.MaxKeyBytes+7)&^7 + (kvs.MaxValueBytes+7)&^7
)

// meta is an item's first word, with its lengths.
//
//	bits 0–7 key bytes · 8–15 zero · 16–31 value bytes · 32–63 words that the item takes in the log
//
// A key of no bytes marks padding at the end of the log.
type meta uint64

func makeMeta(keyBytes, valueBytes, words int) meta {
	return meta(keyBytes) | meta(valueBytes)<<16 | meta(words)<<32
}

func (m meta) keyBytes() int   { return int(m & 0xff) }
func (m meta) valueBytes() int { return int(m >> 16 & 0xffff) }
func (m meta) bytes() int      { return int(m>>32) * wordBytes }

// valueAt is the offset of the value from the item's start.
func (m meta) valueAt() int { return headerBytes + padded(m.keyBytes()) }

func padded(n int) int { return (n + wordBytes - 1) &^ (wordBytes - 1) }

func itemBytes(keyBytes, valueBytes int) int {
	return headerBytes + padded(keyBytes) + padded(valueBytes)
}

// word returns the aligned word of the log at offset.
func (p *Partition) word(offset uint64) *uint64 {
	return (*uint64)(unsafe.Add(p.log, offset))
}

// span returns n bytes of the log at offset.
func (p *Partition) span(offset uint64, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p.log, offset)), n)
}

func (p *Partition) meta(offset uint64) meta { return meta(*p.word(offset)) }

// lastWordAt returns the address of the log's last word.
func (p *Partition) lastWordAt() uintptr {
	return uintptr(p.log) + uintptr(p.space.end) - wordBytes
}

// wordItem is the meta of an item with a key and a value of one word each.
const wordItem = meta(wordBytes | wordBytes<<16 | (headerBytes/wordBytes+2)<<32)

// isWords reports whether the item at offset is a wordItem with this key.
func (p *Partition) isWords(offset uint64, key []byte) bool {
	return p.meta(offset) == wordItem && len(key) == wordBytes &&
		*p.word(offset + headerBytes) == *firstWord(key)
}

// holds reports whether the item at offset has this key.
func (p *Partition) holds(offset, hash uint64, key []byte) (meta, bool) {
	m := p.meta(offset)
	return m, *p.word(offset + wordBytes) == hash && p.hasKey(offset, m, key)
}

// hasKey is holds without the hash. A key of a word needs no call.
func (p *Partition) hasKey(offset uint64, m meta, key []byte) bool {
	if m.keyBytes() != len(key) {
		return false
	}
	if len(key) == wordBytes {
		return *p.word(offset + headerBytes) == *firstWord(key)
	}
	return string(p.span(offset+headerBytes, len(key))) == string(key)
}

// firstWord returns the first eight bytes of b, which has at least eight.
func firstWord(b []byte) *uint64 { return (*uint64)(unsafe.Pointer(unsafe.SliceData(b))) }

// writeItem fills fresh room in the log, which no reader can see yet.
func (p *Partition) writeItem(offset uint64, m meta, hash uint64, key, value []byte) {
	p.store(p.word(offset), uint64(m))
	p.store(p.word(offset+wordBytes), hash)
	p.fill(offset+headerBytes, key)
	p.fill(offset+uint64(m.valueAt()), value)
}

// fill copies src into the log. It writes whole words where other cores may be reading.
func (p *Partition) fill(offset uint64, src []byte) {
	if p.shared {
		p.fillShared(offset, src)
	} else {
		copy(p.span(offset, len(src)), src)
	}
}

// appendValue appends the value of the item at offset, padded to whole words. It returns the value,
// or false if it exceeds the capacity of out.
func (p *Partition) appendValue(out []byte, offset uint64, m meta) (grown, value []byte, ok bool) {
	n := m.valueBytes()
	at := len(out)
	end := at + padded(n)
	if end > cap(out) {
		return out, nil, false
	}
	out = out[:end]
	p.copyValue(out[at:], offset, m)
	return out, out[at : at+n : at+n], true
}

// copyValue fills dst with the value of the item at offset and zeros, up to a whole word.
func (p *Partition) copyValue(dst []byte, offset uint64, m meta) {
	n := m.valueBytes()
	if n%wordBytes != 0 {
		clear(dst[len(dst)-wordBytes:])
	}
	copy(dst, p.span(offset+uint64(m.valueAt()), n))
}
