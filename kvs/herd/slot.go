package herd

import (
	"encoding/binary"
	"fmt"

	"dpukv/kvs"
)

// A slot's sizes: see doc.go.
const (
	wordBytes = 8
	// MinSlotBytes is a cache line: a key of 16 bytes with a value of 32.
	MinSlotBytes = 64
	// MaxSlotBytes holds the longest key with the longest value that a datagram of 4096 bytes
	// carries.
	MaxSlotBytes = 4096 + 256 + tailBytes
	// tailBytes are the hash and the control word, the last two words of a slot.
	tailBytes = 2 * wordBytes
)

func padded(n int) int { return (n + wordBytes - 1) &^ (wordBytes - 1) }

// requestBytes is what a request takes at the end of its slot.
func requestBytes(keyBytes, valueBytes int) int {
	return tailBytes + padded(keyBytes) + padded(valueBytes)
}

// SlotBytesFor is the smallest slot, in cache lines, for items of one size.
func SlotBytesFor(keyBytes, valueBytes int) int {
	return max(MinSlotBytes, (requestBytes(keyBytes, valueBytes)+MinSlotBytes-1)&^(MinSlotBytes-1))
}

// control is a slot's last word. 0 is a slot that was never written, as operation 0 does not exist.
//
//	bits 0–15 value bytes · 16–23 key bytes · 24–26 operation · 27–34 attempt · 35–63 sequence
type control uint64

const (
	opShift       = 24
	attemptShift  = 27
	sequenceShift = 35
	sequenceBits  = 64 - sequenceShift
	sequenceMask  = 1<<sequenceBits - 1
	shapeMask     = control(1)<<attemptShift - 1 // all but attempt and sequence
)

func makeControl(sequence uint32, op kvs.Op, keyBytes, valueBytes int) control {
	return control(sequence)<<sequenceShift | control(op)<<opShift | control(keyBytes)<<16 | control(valueBytes)
}

func (c control) sequence() uint32 { return uint32(c >> sequenceShift) }
func (c control) op() kvs.Op       { return kvs.Op(c >> opShift & 7) }
func (c control) keyBytes() int    { return int(c >> 16 & 0xff) }
func (c control) valueBytes() int  { return int(c & 0xffff) }

// FlowLabel is that of the packets with requests to a worker, so that what is on the path can tell
// by their UDP source port (verbs.UDPSourcePort) which partition they are for.
func FlowLabel(worker int) uint32 { return uint32(worker) + 1 }

// Where a request has its operation: in the lowest bits of a byte, so far from the request's end.
const (
	OpFromEnd = wordBytes - opShift/8
	OpMask    = 1<<(attemptShift-opShift) - 1
)

const attemptMask = control(0xff) << attemptShift

// again is the control word of the next attempt at the same request.
func (c control) again() control {
	return c&^attemptMask | (c+1<<attemptShift)&attemptMask
}

// putRequest writes a request at the end of a slot and returns how many bytes of it are the
// request.
func putRequest(slot []byte, sequence uint32, r *kvs.Request, value []byte) int {
	n := len(slot)
	keyAt := n - tailBytes - padded(len(r.Key))
	valueAt := keyAt - padded(len(value))
	binary.LittleEndian.PutUint64(slot[n-wordBytes:], uint64(makeControl(sequence, r.Op, len(r.Key), len(value))))
	binary.LittleEndian.PutUint64(slot[n-tailBytes:], r.Hash)
	copyWords(slot[keyAt:], r.Key)
	copyWords(slot[valueAt:], value)
	return n - valueAt
}

// copyWords is copy. Most keys and values are a few whole words, for which a call of memmove is
// long.
func copyWords(dst, src []byte) {
	if len(src)%wordBytes != 0 || len(src) > 4*wordBytes {
		copy(dst, src)
		return
	}
	for len(src) >= wordBytes && len(dst) >= wordBytes {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src))
		dst, src = dst[wordBytes:], src[wordBytes:]
	}
}

// legal reports what is wrong with a control word that a client wrote.
func (c control) legal(slotBytes, maxValue int) error {
	need := requestBytes(c.keyBytes(), c.valueBytes())
	switch {
	case !c.op().Valid():
		return fmt.Errorf("a slot with operation %d", uint8(c.op()))
	case c.keyBytes() == 0 || need > slotBytes || c.valueBytes() > maxValue:
		return fmt.Errorf("a slot of %d bytes with a key of %d and a value of %d", slotBytes, c.keyBytes(), c.valueBytes())
	case c.valueBytes() > 0 && (c.op() == kvs.Get || c.op() == kvs.Delete):
		return fmt.Errorf("a slot with a value for a %s", c.op())
	}
	return nil
}

// answer is the immediate of an answer: bits 0–2 status, 3–31 sequence.
type answer uint32

const statusBits = 3

func makeAnswer(sequence uint32, status kvs.Status) answer {
	return answer(sequence<<statusBits) | answer(status)
}

func (a answer) sequence() uint32   { return uint32(a >> statusBits) }
func (a answer) status() kvs.Status { return kvs.Status(a & (1<<statusBits - 1)) }
