package herd

import (
	"unsafe"

	"dpukv/kvs"
	"dpukv/verbs"
)

// roundBytes is the room for one pass's values.
func (w *worker) roundBytes() int { return passOps * padded(w.server.maxValue) }

// answers is a worker's side of sends.
type answers struct {
	sends
	rounds [outRounds]uint64 // what must have completed before a round's values may be written over
	round  int
}

// nextRound is empty memory for the values of a pass.
func (w *worker) nextRound() ([]byte, error) {
	a := &w.answers
	if !w.inlined { // else a round's values were taken when they were posted
		a.rounds[a.round] = a.posted
		a.round = (a.round + 1) % outRounds
		if err := a.await(a.rounds[a.round]); err != nil {
			return nil, err
		}
	}
	at := a.round * w.roundBytes()
	return w.out.Bytes()[at : at : at+w.roundBytes()], nil
}

// reply adds an answer to the list.
func (w *worker) reply(from *origin, status kvs.Status, value []byte) {
	a := &w.answers
	n := len(a.wrs)
	a.wrs = a.wrs[:n+1]
	wr := &a.wrs[n]
	*wr = from.in.answer
	wr.Imm = uint32(makeAnswer(from.sequence, status))
	if len(value) > 0 {
		wr.Local.Addr += uint64(uintptr(unsafe.Pointer(&value[0])) - w.base)
		wr.Local.Length = uint32(len(value))
	}
	if len(value) <= w.inline {
		wr.Flags = verbs.Inline
	}
	a.sign(wr)
}
