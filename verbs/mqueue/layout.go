package mqueue

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"dpukv/internal/order"
	"dpukv/verbs"
)

const (
	wordBytes = 8
	lineBytes = 64
)

func padded(n int) int { return (n + wordBytes - 1) &^ (wordBytes - 1) }

// stride is the distance of two slots.
func (s Shape) stride() int {
	return (padded(s.SlotBytes) + wordBytes + lineBytes - 1) &^ (lineBytes - 1)
}

// These are what an end takes beside its region, at most: its side channel and what surrounds it,
// and for each slot the queues of a device in software.
const (
	endBytes       = 32 << 10
	slotStateBytes = 640
)

// Bytes is the most memory of each end.
func (s Shape) Bytes() int { return s.layout().size + endBytes + s.Slots*slotStateBytes }

// layout has the offsets of the arrays in a region, both here and at the peer.
type layout struct {
	slots, stride                           int
	in, out, controls, fetched, fence, size int // size is that of the region
}

func (s Shape) layout() layout {
	l := layout{slots: s.Slots, stride: s.stride()}
	array := l.slots * l.stride
	words := max(l.slots*wordBytes, lineBytes)
	l.out = l.in + array
	l.controls = l.out + array
	l.fetched = l.controls + words
	l.fence = l.fetched + words
	l.size = l.fence + lineBytes
	return l
}

func (l *layout) slot(message uint64) int { return int(message & uint64(l.slots-1)) }

// inEnd is the offset of the control word of an incoming message: the end of its slot, less a word.
func (l *layout) inEnd(message uint64) int {
	return l.in + (l.slot(message)+1)*l.stride - wordBytes
}

func (l *layout) outStart(message uint64) int { return l.out + l.slot(message)*l.stride }

func (l *layout) control(message uint64) int { return l.controls + l.slot(message)*wordBytes }

// checkRegion checks the peer's description of its region.
func (l *layout) checkRegion(r *verbs.Region) error {
	if r.Length < l.size || r.Addr%wordBytes != 0 || r.Addr+uint64(l.size) < r.Addr {
		return fmt.Errorf("region of the peer of a lane: found %d bytes at %#x, allowed: %d or "+
			"more at a multiple of %d", r.Length, r.Addr, l.size, wordBytes)
	}
	return nil
}

// control is the control word of a message. 0 stands for none.
//
//	bits 0–15 code · 16–38 bytes · 39 present: always 1 · 40–63 sequence
type control uint64

const (
	bytesShift    = 16
	bytesMask     = 1<<23 - 1
	present       = 1 << 39
	sequenceShift = 40
	sequenceMask  = 1<<24 - 1
)

func makeControl(message uint64, bytes int, code uint16) control {
	return control(message+1)&sequenceMask<<sequenceShift | present |
		control(bytes)<<bytesShift | control(code)
}

func (c control) sequence() uint64 { return uint64(c >> sequenceShift) }
func (c control) bytes() int       { return int(c >> bytesShift & bytesMask) }
func (c control) code() uint16     { return uint16(c) }

// of reports whether the word is the one of a message. Another word in its place must be the one of
// the message before in this slot, or none.
func (c control) of(message uint64, s Shape) (bool, error) {
	switch was := message - uint64(s.Slots); {
	case c&present == 0:
		if c != 0 {
			return false, fmt.Errorf("message %d of a lane: found control word %#x, allowed: 0, "+
				"or bit 39 set", message, uint64(c))
		}
		return false, nil
	case c.sequence() == (message+1)&sequenceMask:
		if c.bytes() > s.SlotBytes {
			return false, fmt.Errorf("message %d of a lane: found %d bytes, allowed: at most %d",
				message, c.bytes(), s.SlotBytes)
		}
		return true, nil
	case c.sequence() != (was+1)&sequenceMask:
		return false, fmt.Errorf("message %d of a lane: found sequence %d, allowed: %d, or %d "+
			"before it", message, c.sequence(), (message+1)&sequenceMask, (was+1)&sequenceMask)
	}
	return false, nil
}

// load reads a control word that the peer or its device writes.
func load(memory []byte, at int) control {
	return control(toHost(atomic.LoadUint64(wordAt(memory, at))))
}

// publish stores a control word after everything before it.
func publish(memory []byte, at int, c control) {
	order.Store64(wordAt(memory, at), toHost(uint64(c)))
}

func wordAt(memory []byte, at int) *uint64 {
	return (*uint64)(unsafe.Pointer(&memory[at : at+wordBytes][0]))
}

// toHost converts between little endian, which the peer sees, and the order of this machine.
func toHost(v uint64) uint64 {
	var b [wordBytes]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return binary.NativeEndian.Uint64(b[:])
}
