package herd

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"dpukv/kvs"
	"dpukv/verbs"
)

// These are sizes of slots and their parts: see doc.go.
const (
	wordBytes = 8
	lineBytes = 64 // of the cache
	// MinSlotBytes is a cache line. It holds a key of 16 bytes with a value of 32.
	MinSlotBytes = 64
	// MaxSlotBytes holds the longest key with the longest value of a datagram of 4096 bytes.
	MaxSlotBytes = 4096 + 256 + tailBytes + checkBytes
	// tailBytes is the size of hash and control word, the last two words of a slot.
	tailBytes = 2 * wordBytes
	// checkBytes is the size of the check word, the first word of some requests.
	checkBytes = wordBytes
)

func padded(n int) int { return (n + wordBytes - 1) &^ (wordBytes - 1) }

// requestBytes returns the size of a request at the end of its slot. One of more than whole bytes
// has a check word.
func requestBytes(keyBytes, valueBytes, whole int) int {
	n := tailBytes + padded(keyBytes) + padded(valueBytes)
	if n > whole {
		n += checkBytes
	}
	return n
}

// wholeBytes is the longest request that shows by its control word alone that all of it is there,
// as far as two devices together promise an order.
func wholeBytes(together verbs.Placement, slotBytes int) int {
	switch {
	case together.Promises(verbs.LastWord):
		return math.MaxInt
	case slotBytes%lineBytes != 0:
		return 0 // slots end anywhere in a line
	}
	return lineBytes
}

// SlotBytesFor returns the smallest slot, in cache lines, for items of one size on any device.
func SlotBytesFor(keyBytes, valueBytes int) int {
	n := requestBytes(keyBytes, valueBytes, lineBytes)
	return max(MinSlotBytes, (n+MinSlotBytes-1)&^(MinSlotBytes-1))
}

// checkWord is the check word of a request: the CRC of what lies between it and the control word,
// and the sequence. A line of an earlier request therefore does not pass for one of this.
func checkWord(c control, between []byte) uint64 {
	return uint64(c.sequence())<<32 | uint64(crc32.Checksum(between, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// control is a slot's last word. 0 marks a slot that was never written, because operation 0 does
// not exist.
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
	return control(sequence)<<sequenceShift | control(op)<<opShift |
		control(keyBytes)<<16 | control(valueBytes)
}

func (c control) sequence() uint32 { return uint32(c >> sequenceShift) }
func (c control) op() kvs.Op       { return kvs.Op(c >> opShift & 7) }
func (c control) keyBytes() int    { return int(c >> 16 & 0xff) }
func (c control) valueBytes() int  { return int(c & 0xffff) }

// FlowLabel returns the flow label of packets with requests to a worker. Devices on the path can
// tell the partition by the UDP source port (verbs.UDPSourcePort).
func FlowLabel(worker int) uint32 { return uint32(worker) + 1 }

// The operation of a request lies in the lowest bits of a byte, this far from the request's end.
const (
	OpFromEnd = wordBytes - opShift/8
	OpMask    = 1<<(attemptShift-opShift) - 1
)

const attemptMask = control(0xff) << attemptShift

// again returns the control word of the next attempt at the same request.
func (c control) again() control {
	return c&^attemptMask | (c+1<<attemptShift)&attemptMask
}

// putRequest writes a request at the end of a slot and returns the request's length in bytes. One
// of more than whole bytes gets a check word.
func putRequest(slot []byte, sequence uint32, r *kvs.Request, value []byte, whole int) int {
	n := len(slot)
	keyAt := n - tailBytes - padded(len(r.Key))
	valueAt := keyAt - padded(len(value))
	tail := (*[tailBytes]byte)(slot[n-tailBytes:])
	binary.LittleEndian.PutUint64(tail[:wordBytes], r.Hash)
	c := makeControl(sequence, r.Op, len(r.Key), len(value))
	binary.LittleEndian.PutUint64(tail[wordBytes:], uint64(c))
	copyWords(slot[keyAt:], r.Key)
	if len(value) > 0 {
		copyWords(slot[valueAt:], value)
	}
	if n-valueAt > whole {
		putCheck(slot[valueAt-checkBytes:], c)
		return n - valueAt + checkBytes
	}
	return n - valueAt
}

// putCheck writes the check word of a request, its first word.
func putCheck(request []byte, c control) {
	word := checkWord(c, request[checkBytes:len(request)-wordBytes])
	binary.LittleEndian.PutUint64(request, word)
}

// intact reports whether a request is whole, by its check word.
func intact(request []byte, c control) bool {
	return binary.LittleEndian.Uint64(request) ==
		checkWord(c, request[checkBytes:len(request)-wordBytes])
}

// copyWords is copy. Most keys and values have one, two or four words, for which a call of memmove
// takes long.
func copyWords(dst, src []byte) {
	const word, two, four = wordBytes, 2 * wordBytes, 4 * wordBytes
	switch n := len(src); {
	case n > len(dst):
		copy(dst, src)
	case n == two:
		*(*[two]byte)(dst) = [two]byte(src)
	case n == word:
		*(*[word]byte)(dst) = [word]byte(src)
	case n == four:
		*(*[four]byte)(dst) = [four]byte(src)
	case n > 0:
		copy(dst, src)
	}
}

// legal returns an error for an illegal control word of a client.
func (c control) legal(slotBytes, maxValue, whole int) error {
	need := requestBytes(c.keyBytes(), c.valueBytes(), whole)
	switch {
	case !c.op().Valid():
		return fmt.Errorf("slot: found operation %d, which does not exist", uint8(c.op()))
	case c.keyBytes() == 0 || need > slotBytes || c.valueBytes() > maxValue:
		return fmt.Errorf("slot of %d bytes: found a key of %d and a value of %d, which do not "+
			"fit", slotBytes,
			c.keyBytes(), c.valueBytes())
	case c.valueBytes() > 0 && (c.op() == kvs.Get || c.op() == kvs.Delete):
		return fmt.Errorf("slot: found a value for a %s, allowed: none", c.op())
	}
	return nil
}

// answer is the immediate of an answer: bits 0–2 are the status, bits 3–31 the sequence.
type answer uint32

const statusBits = 3

func makeAnswer(sequence uint32, status kvs.Status) answer {
	return answer(sequence<<statusBits) | answer(status)
}

func (a answer) sequence() uint32   { return uint32(a >> statusBits) }
func (a answer) status() kvs.Status { return kvs.Status(a & (1<<statusBits - 1)) }
