package softroce

import "dpukv/verbs/softroce/wire"

import "dpukv/verbs"

// inbound is the message that a UC or RC QP is receiving, and the receive for the next one.
type inbound struct {
	kind wire.Kind // NoKind: between messages
	// of a write
	va    uint64
	rkey  uint32
	left  uint32
	total uint32
	// of a send
	got uint32

	// held are receives taken from the queue, several at a time. The first is for the message in
	// progress. It stays for the next message if this one does not complete.
	held       [heldReceives]verbs.RecvWR
	first, end int
}

const heldReceives = 16

// accept takes the next packet of a message in order. If it returns a reason, it has changed
// nothing.
func (q *qp) accept(p *wire.Packet) counter {
	s := p.Op.Shape()
	if s.First != (q.in.kind == wire.NoKind) || !s.First && s.Kind != q.in.kind {
		return badMessage
	}
	if n := len(p.Payload); n > q.mtu || !s.Last && n != q.mtu || s.Last && !s.First && n == 0 {
		return badMessage
	}
	if s.Kind == wire.KindWrite {
		return q.acceptWrite(p, s)
	}
	return q.acceptSend(p, s)
}

func (q *qp) acceptWrite(p *wire.Packet, s *wire.Shape) counter {
	m := &q.in
	va, rkey, left, total := m.va, m.rkey, m.left, m.total
	if s.First {
		va, rkey, left, total = p.VA, p.RKey, p.DMALen, p.DMALen
	}
	n := uint32(len(p.Payload))
	if n > left || s.Last != (n == left) {
		return badMessage
	}
	if left > 0 { // a message without bytes needs no key
		// Check the whole rest of the message, not only this packet: a write that must fail has to
		// fail before its first byte.
		r, at, why := q.device.regions.reach(q.pd, rkey, va, int(left), verbs.RemoteWrite)
		if why != noDrop {
			return why
		}
		if s.Imm && !q.hold() {
			return noReceive
		}
		if s.Last {
			storeLast(r.whole, at, p.Payload)
		} else {
			copy(r.whole[at:], p.Payload)
		}
	} else if s.Imm && !q.hold() {
		return noReceive
	}
	m.va, m.rkey, m.left, m.total = va+uint64(n), rkey, left-n, total
	m.kind = wire.KindWrite
	if s.Last {
		m.kind = wire.NoKind
	}
	if s.Imm {
		setImm(q.received(verbs.WCRecvWriteImm, total), p)
	}
	return noDrop
}

func (q *qp) acceptSend(p *wire.Packet, s *wire.Shape) counter {
	m, n := &q.in, uint32(len(p.Payload))
	if !q.hold() {
		return noReceive
	}
	got := m.got
	if s.First {
		got = 0
	}
	to := &q.receive().Local
	if n > to.Length-got {
		return receiveTooSmall
	}
	if n > 0 {
		r, at, why := q.device.regions.reach(q.pd, to.LKey, to.Addr+uint64(got), int(n),
			verbs.LocalWrite)
		if why != noDrop {
			return localProtection
		}
		copy(r.whole[at:], p.Payload)
	}
	m.got = got + n
	m.kind = wire.KindSend
	if s.Last {
		m.kind = wire.NoKind
		if wc := q.received(verbs.WCRecv, m.got); s.Imm {
			setImm(wc, p)
		}
	}
	return noDrop
}

// hold takes receives from the queue if none is held. It reports whether one is held.
func (q *qp) hold() bool {
	m := &q.in
	if m.first == m.end {
		m.first, m.end = 0, q.receives.remove(m.held[:])
	}
	return m.first < m.end
}

// receive returns the held receive.
func (q *qp) receive() *verbs.RecvWR { return &q.in.held[q.in.first] }

// received completes the held receive, with n bytes. The caller may add to the completion at once.
func (q *qp) received(op verbs.WCOp, n uint32) *verbs.WC {
	wc := q.device.receiver.complete(q.recvCQ)
	// Field by field, in place: if the struct were built elsewhere and copied in larger pieces,
	// each piece would wait until its fields have left the store buffer.
	wc.ID, wc.QPN, wc.Op, wc.Bytes = q.receive().ID, q.num, op, n
	q.in.first++
	return wc
}

func setImm(wc *verbs.WC, p *wire.Packet) { wc.Imm, wc.HasImm = p.Imm, true }
