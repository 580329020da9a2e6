package softroce

import "dpukv/verbs"

// inbound is the message that a UC or RC QP is receiving, and the receive that the next one gets.
type inbound struct {
	kind kind // kindNone: between messages
	// of a write
	va    uint64
	rkey  uint32
	left  uint32
	total uint32
	// of a send
	got uint32

	// held have been taken from the queue, some at a time. The first is for the message in progress, and stays
	// for the next one when that is not completed.
	held       [heldReceives]verbs.RecvWR
	first, end int
}

const heldReceives = 16

// reset forgets the message in progress.
func (m *inbound) reset() { m.kind = kindNone }

// accept takes the next packet of a message in order, or tells why not; then it has changed nothing.
func (q *qp) accept(p *packet) counter {
	s := p.op.shape()
	if s.first != (q.in.kind == kindNone) || !s.first && s.kind != q.in.kind {
		return badMessage
	}
	if n := len(p.payload); n > q.mtu || !s.last && n != q.mtu || s.last && !s.first && n == 0 {
		return badMessage
	}
	if s.kind == kindWrite {
		return q.acceptWrite(p, s)
	}
	return q.acceptSend(p, s)
}

func (q *qp) acceptWrite(p *packet, s *shape) counter {
	m := &q.in
	va, rkey, left, total := m.va, m.rkey, m.left, m.total
	if s.first {
		va, rkey, left, total = p.va, p.rkey, p.dmaLen, p.dmaLen
	}
	n := uint32(len(p.payload))
	if n > left || s.last != (n == left) {
		return badMessage
	}
	if left > 0 { // no key is looked at for no bytes
		// All that is left, not only this packet: a write that must fail is to fail before its first byte.
		r, at, why := q.device.regions.reach(q.pd, rkey, va, int(left), verbs.RemoteWrite)
		if why != noDrop {
			return why
		}
		if s.immd && !q.hold() {
			return noReceive
		}
		if s.last {
			placeLast(r.whole, at, p.payload)
		} else {
			copy(r.whole[at:], p.payload)
		}
	} else if s.immd && !q.hold() {
		return noReceive
	}
	m.va, m.rkey, m.left, m.total = va+uint64(n), rkey, left-n, total
	m.kind = kindWrite
	if s.last {
		m.kind = kindNone
	}
	if s.immd {
		q.received(&verbs.WC{Op: verbs.WCRecvWriteImm, Bytes: total, Imm: p.imm, HasImm: true})
	}
	return noDrop
}

func (q *qp) acceptSend(p *packet, s *shape) counter {
	m, n := &q.in, uint32(len(p.payload))
	if !q.hold() {
		return noReceive
	}
	got := m.got
	if s.first {
		got = 0
	}
	to := &q.receive().Local
	if n > to.Length-got {
		return receiveTooSmall
	}
	if n > 0 {
		r, at, why := q.device.regions.reach(q.pd, to.LKey, to.Addr+uint64(got), int(n), verbs.LocalWrite)
		if why != noDrop {
			return localProtection
		}
		copy(r.whole[at:], p.payload)
	}
	m.got = got + n
	m.kind = kindSend
	if s.last {
		m.kind = kindNone
		q.received(&verbs.WC{Op: verbs.WCRecv, Bytes: m.got, Imm: p.imm, HasImm: s.immd})
	}
	return noDrop
}

// hold makes sure that a receive is held.
func (q *qp) hold() bool {
	m := &q.in
	if m.first == m.end {
		m.first, m.end = 0, q.receives.take(m.held[:])
	}
	return m.first < m.end
}

// receive is the one held.
func (q *qp) receive() *verbs.RecvWR { return &q.in.held[q.in.first] }

// received completes the receive held.
func (q *qp) received(wc *verbs.WC) {
	wc.ID, wc.QPN = q.receive().ID, q.num
	if !wc.HasImm {
		wc.Imm = 0
	}
	q.in.first++
	q.device.receiver.complete(q.recvCQ, wc)
}
