package mqueue

import (
	"encoding/binary"

	"dpukv/verbs"
)

// stagingLaps is the number of messages for each slot that a writer keeps. A message stays until
// the completion of its WRITE, and only some WRITEs ask for one.
const stagingLaps = 2

// writer sends messages by WRITEs into the peer's slots.
type writer struct {
	q     *queue
	shape Shape
	mr    verbs.MR // staging: stagingLaps of slots, then a word for fences
	bytes []byte
	to    verbs.Region
	// every is the number of WRITEs of which one asks for a completion.
	every  uint64
	freed  uint64 // the last message whose WRITE is complete
	fenced bool
	// waiting are the control words behind fences, by message. The READs complete in order.
	waiting []word
	scratch verbs.SGE
}

func newWriter(q *queue, s Shape) (*writer, error) {
	mr, err := q.pd.AllocMR(stagingLaps*s.bytes()+lineSize, verbs.LocalWrite)
	if err != nil {
		return nil, err
	}
	w := &writer{
		q: q, shape: s, mr: mr, bytes: mr.Bytes(), every: uint64(max(s.Slots/2, 1)),
		waiting: make([]word, s.Slots*stagingLaps),
	}
	w.scratch = verbs.SGE{
		Addr: mr.Addr() + uint64(stagingLaps*s.bytes()), Length: wordBytes, LKey: mr.LKey(),
	}
	return w, nil
}

// staged returns the offset of a message in staging.
func (w *writer) staged(n uint64) int {
	return int(n&uint64(stagingLaps*w.shape.Slots-1)) * w.shape.stride()
}

func (w *writer) room(n uint64) []byte {
	if n-w.freed > uint64(stagingLaps*w.shape.Slots) {
		return nil
	}
	at := w.staged(n)
	return w.bytes[at : at+w.shape.SlotBytes : at+w.shape.SlotBytes]
}

// send stages the control word behind the message, and writes both at once.
func (w *writer) send(n uint64, bytes int, code uint8) error {
	whole := padded(bytes)
	at, control := w.staged(n), wordOf(n, bytes, code)
	if w.fenced {
		return w.sendFenced(n, at, whole, control)
	}
	binary.NativeEndian.PutUint64(w.bytes[at+whole:], uint64(control))
	wr := w.write(n, at, whole+wordBytes, 0)
	if n%w.every == 0 {
		wr.Flags, wr.ID = verbs.Signaled, idOf(written, n)
	}
	w.q.wrs = append(w.q.wrs[:0], wr)
	return w.q.post()
}

// write returns the WRITE of staged bytes. They end so many bytes before the end of the slot.
func (w *writer) write(n uint64, at, bytes, before int) verbs.SendWR {
	end := w.shape.slot(n) + padded(w.shape.SlotBytes) + wordBytes - before
	return verbs.SendWR{
		Op:     verbs.OpWrite,
		Local:  verbs.SGE{Addr: w.mr.Addr() + uint64(at), Length: uint32(bytes), LKey: w.mr.LKey()},
		Remote: w.to.Addr + uint64(end-bytes), RKey: w.to.RKey,
	}
}

// sendFenced writes the message, and reads its last word back. The control word follows when the
// READ is complete: then the message is in the peer's memory.
func (w *writer) sendFenced(n uint64, at, whole int, control word) error {
	w.waiting[n%uint64(len(w.waiting))] = control
	w.q.wrs = w.q.wrs[:0]
	if whole > 0 {
		w.q.wrs = append(w.q.wrs, w.write(n, at, whole, wordBytes))
	}
	last := w.write(n, 0, 2*wordBytes, 0).Remote // the word before the control word
	w.q.wrs = append(w.q.wrs, verbs.SendWR{
		Op: verbs.OpRead, Local: w.scratch, Remote: last, RKey: w.to.RKey,
		Flags: verbs.Signaled, ID: idOf(fence, n),
	})
	return w.q.post()
}

func (w *writer) done(kind completion, n uint64) error {
	if kind == written {
		w.freed = n
		return nil
	}
	control := w.waiting[n%uint64(len(w.waiting))]
	at := w.staged(n)
	whole := padded(control.bytes())
	binary.NativeEndian.PutUint64(w.bytes[at+whole:], uint64(control))
	wr := w.write(n, at+whole, wordBytes, 0)
	wr.Flags, wr.ID = verbs.Signaled, idOf(written, n)
	w.q.wrs = append(w.q.wrs[:0], wr)
	return w.q.post()
}

func (w *writer) close() error { return w.mr.Close() }
