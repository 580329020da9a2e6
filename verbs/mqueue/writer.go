package mqueue

import (
	"fmt"

	"dpukv/verbs"
)

// These are the kinds of completions, in the highest byte of a work request's ID.
const (
	kindShift = 56
	kindWrite = 1 // below it: the number of messages that are complete
	kindFence = 2
	kindFetch = 3
	countMask = 1<<kindShift - 1
)

// errorTurns is the number of turns per look for errors.
const errorTurns = 64

// writer sends messages by WRITE. Messages before posted have left, or on a fenced lane their
// payloads. Those before rung have their control words on the way.
type writer struct {
	rung, posted, completed uint64
	fencing                 bool
	fenced                  uint64 // messages that the fence covers
	every                   uint64 // one completion for so many messages: a power of two
	signaled                uint64 // the last message that asks for a completion, and 1
	turns                   uint   // without a look at the completions
	localAddr               uint64 // of the region
	localKey                uint32
	words                   []control // by slot
	list                    []verbs.SendWR
}

// reap takes completions. more: they made something to post.
func (e *End) reap() (more bool, err error) {
	w, f := &e.writer, &e.fetcher
	if w.signaled == w.completed && !w.fencing && !f.busy {
		// An error is a completion that nobody asked for: a look now and then finds it.
		if w.turns++; w.turns%errorTurns != 0 {
			return false, nil
		}
	}
	n, err := e.cq.Poll(e.wcs[:])
	if err != nil {
		return false, err
	}
	for i := range e.wcs[:n] {
		wc := &e.wcs[i]
		if wc.Status != verbs.StatusSuccess {
			return false, fmt.Errorf("work request: %s", wc.Status)
		}
		switch wc.ID >> kindShift {
		case kindWrite:
			w.completed = wc.ID & countMask
		case kindFence:
			w.fencing, more = false, true
		case kindFetch:
			found := f.found
			if err := e.found(); err != nil {
				return false, err
			}
			more = more || f.found != found
		}
	}
	return more, nil
}

// post posts WRITEs of messages, and READs for those of the peer, as one list.
func (e *End) post() (wrote bool, err error) {
	w := &e.writer
	list := w.list[:0]
	if !e.pulled() {
		if e.fenced {
			list = e.ring(list)
			list = e.fence(list)
		} else {
			for ; w.posted != e.sent; w.posted++ {
				list = list[:len(list)+1]
				e.write(&list[len(list)-1], w.posted)
			}
			w.rung, w.fenced = w.posted, w.posted
		}
		wrote = len(list) > 0
	}
	if e.pulls() && !e.fetcher.busy {
		list = e.fetch(list)
	}
	if len(list) == 0 {
		return false, nil
	}
	if n, err := e.qp.PostSend(list); err != nil {
		return false, fmt.Errorf("post %d work requests, of which %d fit: %w", len(list), n, err)
	}
	return wrote, nil
}

// write fills the WRITE of a whole message. It ends at the end of the peer's slot. Field by field,
// in place: a copy of the struct would wait until its fields have left the store buffer.
func (e *End) write(wr *verbs.SendWR, message uint64) {
	n := padded(e.writer.words[e.layout.slot(message)].bytes())
	wr.Op, wr.RKey = verbs.OpWrite, e.peer.RKey
	wr.Local.Addr = e.writer.localAddr + uint64(e.layout.outStart(message))
	wr.Local.Length, wr.Local.LKey = uint32(n+wordBytes), e.writer.localKey
	wr.Remote = e.remote(e.layout.inEnd(message) - n)
	e.signal(wr, message)
}

// signal asks for a completion of one in a number of messages.
func (e *End) signal(wr *verbs.SendWR, message uint64) {
	wr.Flags, wr.ID = 0, 0
	if (message+1)&(e.writer.every-1) == 0 {
		wr.Flags, wr.ID = verbs.Signaled, kindWrite<<kindShift|(message+1)
		e.writer.signaled = message + 1
	}
}

func (e *End) local(at, n int) verbs.SGE {
	return verbs.SGE{
		Addr: e.writer.localAddr + uint64(at), Length: uint32(n), LKey: e.writer.localKey,
	}
}

func (e *End) remote(at int) uint64 { return e.peer.Addr + uint64(at) }

// ring appends the WRITEs of the control words whose payloads a fence has passed.
func (e *End) ring(list []verbs.SendWR) []verbs.SendWR {
	w := &e.writer
	for ; !w.fencing && w.rung != w.fenced; w.rung++ {
		n := padded(w.words[e.layout.slot(w.rung)].bytes())
		list = append(list, verbs.SendWR{
			Op: verbs.OpWrite, Local: e.local(e.layout.outStart(w.rung)+n, wordBytes),
			Remote: e.remote(e.layout.inEnd(w.rung)), RKey: e.peer.RKey,
		})
		e.signal(&list[len(list)-1], w.rung)
	}
	return list
}

// fence appends the WRITEs of payloads, and a READ behind them. A device answers a READ after it
// has placed all earlier WRITEs.
func (e *End) fence(list []verbs.SendWR) []verbs.SendWR {
	w := &e.writer
	if w.fencing || w.posted == e.sent {
		return list
	}
	for ; w.posted != e.sent; w.posted++ {
		n := padded(w.words[e.layout.slot(w.posted)].bytes())
		if n == 0 {
			continue
		}
		list = append(list, verbs.SendWR{
			Op: verbs.OpWrite, Local: e.local(e.layout.outStart(w.posted), n),
			Remote: e.remote(e.layout.inEnd(w.posted) - n), RKey: e.peer.RKey,
		})
	}
	w.fencing, w.fenced = true, w.posted
	return append(list, verbs.SendWR{
		ID: kindFence << kindShift, Op: verbs.OpRead, Flags: verbs.Signaled,
		Local: e.local(e.layout.fence, wordBytes), RKey: e.peer.RKey,
		Remote: e.remote(e.layout.inEnd(w.posted - 1)),
	})
}
