package herd

import (
	"fmt"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/verbs"
)

// scanEvery is the number of passes between two scans of every slot. A scan ignores the order. It
// finds repeated requests, and requests behind a lost one.
const scanEvery = 32

// pass takes the present requests, executes them, and sends the answers. It returns their number.
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
		w.signLast() // its completion tells when this pass's values may be overwritten
	}
	err := w.flush()
	if n > 0 {
		w.counters.ResidenceNs += uint64(cpu.NowNs()-w.seenNs) * uint64(n)
	}
	return n, err
}

// gather takes the next requests in order from each inbox. It starts behind the inbox where the
// previous pass ended.
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
		n = w.fill(in, n, min(passOps, n+most))
	}
	return n
}

// fill fills ops from n on, up to limit, with an inbox's requests in order.
func (w *worker) fill(in *inbox, n, limit int) int {
	return w.fillReady(in, n, in.ready(limit-n))
}

// fillReady takes the requests that ready has counted.
func (w *worker) fillReady(in *inbox, n, ready int) int {
	for ; ready > 0; ready-- {
		if slot := in.next & (in.count - 1); in.taken[slot].sequence() == in.next&sequenceMask {
			in.next++ // a scan took it before; the slot may already hold a later request
			continue
		}
		c := in.peek(in.next)
		if c.sequence() != in.next&sequenceMask { // overwritten since ready looked
			break
		}
		if in.checks && !in.arrived(c) {
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

// admit makes a request the n-th operation of the pass. The first one starts the time of the pass,
// so that a pass that finds nothing reads no clock.
func (w *worker) admit(in *inbox, c control, n int) bool {
	if n == 0 {
		w.seenNs = cpu.NowNs()
	}
	if err := in.request(c, &w.ops[n]); err != nil {
		w.endBadClient(in, err)
		return false
	}
	in.taken[c.sequence()&(in.count-1)] = c
	from := &w.from[n]
	from.in, from.sequence = in, c.sequence()
	return true
}

// endBadClient ends the connection of a client that wrote an illegal request.
func (w *worker) endBadClient(in *inbox, why error) {
	w.counters.BadFrames++
	w.endClient(in, why)
}

// endClient ends a connection. The worker takes no more requests from it.
func (w *worker) endClient(in *inbox, why error) {
	in.ending = true
	in.client.end(why)
}

// scan looks at every slot. Each time it begins with another client, as the first one may fill the
// whole pass. If a slot's sequence is one lap ahead of the request taken last, the slot holds a new
// request. If only its attempt has changed, it holds a repeated request.
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

// late handles a slot that a scan has found. It returns false where the scan of this inbox must
// end.
func (w *worker) late(in *inbox, c control, sequence uint32, n *int) bool {
	slot := sequence & (in.count - 1)
	switch {
	case c.sequence() == in.taken[slot].sequence() && in.taken[slot] != 0:
		if (c^in.taken[slot])&^attemptMask != 0 {
			w.endBadClient(in, fmt.Errorf("request %d came again with other content", c.sequence()))
			return false
		}
		w.counters.Repeats++
		if c.op() != kvs.Get { // only a GET is executed again
			in.taken[slot] = c
			w.reply(&origin{in, c.sequence()}, in.outcome[slot], nil)
			return true
		}
	case c.sequence() != sequence&sequenceMask:
		return true // not written yet in this lap, or illegal; fill will never reach it
	case in.checks && !in.arrived(c):
		return true
	case sequence != in.next && in.inOrder:
		return true
	case sequence != in.next && in.peek(in.next).sequence() == in.next&sequenceMask:
		return false // the earlier requests have arrived meanwhile: nothing was lost
	}
	if !w.admit(in, c, *n) {
		return false
	}
	*n++
	return true
}

// execute executes the first n operations and builds their answers.
func (w *worker) execute(n int) error {
	if n == 0 {
		return nil
	}
	round, err := w.nextRound()
	if err != nil {
		return err
	}
	w.engine.Execute(w.ops[:n], round)
	w.counters.Frames++
	w.counters.Ops += uint64(n)
	for i := range w.ops[:n] {
		op, from := &w.ops[i], &w.from[i]
		if op.Code != kvs.Get { // late executes a GET again
			from.in.outcome[from.sequence&(from.in.count-1)] = op.Status
		}
		value := op.Value
		if op.Code != kvs.Get || op.Status != kvs.OK {
			value = nil
		}
		w.reply(from, op.Status, value)
	}
	return nil
}

// roundBytes is the memory for one pass's values.
func (w *worker) roundBytes() int { return passOps * padded(w.server.maxValue) }

// answers is a worker's send queue for answers.
type answers struct {
	sends
	rounds [outRounds]uint64 // sends to complete before a round's values may be overwritten
	round  int
}

// nextRound returns free memory for the values of a pass.
func (w *worker) nextRound() ([]byte, error) {
	a := &w.answers
	if !w.inlined { // else the device copied a round's values when they were posted
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
