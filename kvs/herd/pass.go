package herd

import (
	"fmt"
	"unsafe"

	"dpukv/kvs"
	"dpukv/verbs"
)

// scanEvery is how many passes lie between two looks at every slot, in order or not: that is how
// repeated requests are found, and requests behind one that was lost.
const scanEvery = 32

// pass takes the requests that are there, does them, and sends the answers. It returns how many
// there were.
func (w *worker) pass() (int, error) {
	w.passes++
	n := 0
	if w.passes%scanEvery == 0 {
		n = w.scan()
	}
	n = w.gather(n)
	if n == 0 && len(w.wrs) == 0 {
		return 0, nil
	}
	if err := w.execute(n); err != nil {
		return n, err
	}
	if !w.inlined {
		w.signLast() // tells when this pass's values may be written over
	}
	return n, w.flush()
}

// gather takes what is next in order from each inbox, starting behind the one where the pass before
// ended.
func (w *worker) gather(n int) int {
	most := passOps
	if w.server.cfg.Faithful {
		most = 1
	}
	count := len(w.inboxes)
	for i := 0; i < count && n < passOps; i++ {
		if w.turn++; w.turn >= count {
			w.turn = 0
		}
		in := w.inboxes[w.turn]
		if in.ending {
			continue
		}
		n = w.take(in, n, min(passOps, n+most))
	}
	return n
}

// take fills ops from n on, up to limit, with an inbox's requests in order.
func (w *worker) take(in *inbox, n, limit int) int {
	for ready := in.ready(limit - n); ready > 0; ready-- {
		if slot := in.next & (in.count - 1); in.taken[slot].sequence() == in.next&sequenceMask {
			in.next++ // a scan was here before; the slot may hold a later request already
			continue
		}
		c := in.peek(in.next)
		if c.sequence() != in.next&sequenceMask { // written anew since ready looked
			break
		}
		if !w.admit(in, c, n) {
			break
		}
		in.next++
		n++
	}
	return n
}

// admit makes a request the n-th operation of the pass.
func (w *worker) admit(in *inbox, c control, n int) bool {
	if err := in.request(c, &w.ops[n]); err != nil {
		w.endBadClient(in, err)
		return false
	}
	in.taken[c.sequence()&(in.count-1)] = c
	from := &w.from[n]
	from.in, from.sequence = in, c.sequence()
	return true
}

// endBadClient ends the connection of a client that wrote what is no request.
func (w *worker) endBadClient(in *inbox, why error) {
	w.counters.BadFrames++
	w.endClient(in, why)
}

// endClient ends a connection. The worker takes nothing more from it.
func (w *worker) endClient(in *inbox, why error) {
	in.ending = true
	in.client.end(why)
}

// scan looks at every slot, each time beginning with another client, as the first may take up all
// of a pass. A slot whose sequence is a lap further than what was taken from it holds a new
// request; one whose attempt has changed, a repeated one.
func (w *worker) scan() (n int) {
	count := len(w.inboxes)
	w.scans++
	for k := range count {
		in := w.inboxes[(w.scans+k)%count]
		for i := range in.count {
			if in.ending {
				break
			}
			sequence := in.next + i
			slot := sequence & (in.count - 1)
			c := in.peek(sequence)
			if c == in.taken[slot] {
				continue
			}
			if n == passOps || len(w.wrs) == passOps || !w.late(in, c, sequence, &n) {
				break
			}
		}
	}
	return n
}

// late takes what a scan has found at a slot. It is false where the scan of this inbox must end.
func (w *worker) late(in *inbox, c control, sequence uint32, n *int) bool {
	slot := sequence & (in.count - 1)
	switch {
	case c.sequence() == in.taken[slot].sequence() && in.taken[slot] != 0:
		if (c^in.taken[slot])&^attemptMask != 0 {
			w.endBadClient(in, fmt.Errorf("request %d came again as another", c.sequence()))
			return false
		}
		w.counters.Repeats++
		return w.repeat(in, c, n)
	case c.sequence() != sequence&sequenceMask:
		return true // not written yet in this lap, or nonsense that take will never reach
	case sequence != in.next && in.peek(in.next).sequence() == in.next&sequenceMask:
		return false // what comes before has arrived meanwhile: nothing was lost, and order is kept
	}
	if !w.admit(in, c, *n) {
		return false
	}
	*n++
	return true
}

// repeat answers a request that was taken before. A GET is done again; a write is not.
func (w *worker) repeat(in *inbox, c control, n *int) bool {
	slot := c.sequence() & (in.count - 1)
	if c.op() == kvs.Get {
		if !w.admit(in, c, *n) {
			return false
		}
		*n++
		return true
	}
	in.taken[slot] = c
	w.reply(&origin{in, c.sequence()}, in.outcome[slot], nil)
	return true
}

// execute does the first n operations and makes their answers.
func (w *worker) execute(n int) error {
	if n == 0 {
		return nil
	}
	round, err := w.nextRound()
	if err != nil {
		return err
	}
	w.core.Execute(w.ops[:n], round)
	w.counters.Frames++
	w.counters.Ops += uint64(n)
	for i := range w.ops[:n] {
		op, from := &w.ops[i], &w.from[i]
		from.in.outcome[from.sequence&(from.in.count-1)] = op.Status
		value := op.Value
		if op.Code != kvs.Get || op.Status != kvs.OK {
			value = nil
		}
		w.reply(from, op.Status, value)
	}
	return nil
}

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
