package softroce

import (
	"dpukv/verbs"
	"dpukv/verbs/softroce/wire"
)

// pastPackets is how far behind the newest WRITE a packet counts as late. A packet further behind
// counts as one after a great loss. At a million packets a second this is 65 ms.
const pastPackets = 1 << 16

// receiveUC handles a packet of an unreliable connection. A message begins with a first or only
// packet of any PSN, and continues with packets of exactly the next PSN: losses only show as gaps.
// The state changes only after the whole packet has proved right. So a forged packet, with the
// peer's address and the QP's number, costs at most the current message.
//
// The specification lets a late WRITE overwrite newer bytes with its old ones. This device refuses
// it: a UC sender never goes back. Only WRITEs with a right key advance the newest PSN.
func (q *qp) receiveUC(p *wire.Packet) counter {
	s := p.Op.Shape()
	if !s.First && (q.in.kind == wire.NoKind || p.PSN != q.expected) {
		return outOfSequence
	}
	keyed := s.Kind == wire.KindWrite && (!s.First || p.DMALen > 0)
	if keyed && s.First && q.isLate(p.PSN) {
		return stalePSN
	}
	under := q.in.kind
	if s.First {
		q.in.kind = wire.NoKind // the message in progress is dropped
	}
	if why := q.accept(p); why != noDrop {
		q.in.kind = under
		return why
	}
	if p.PSN != q.expected {
		q.device.counters.add(psnGaps, 1)
	}
	q.expected = (p.PSN + 1) & wire.PSNMask
	if keyed {
		q.newest = q.expected
	}
	return noDrop
}

// isLate reports whether a packet was sent before the newest WRITE.
func (q *qp) isLate(psn uint32) bool {
	ahead := wire.PSNDiff(psn, q.newest)
	return ahead < 0 && ahead >= -pastPackets
}

// receiveUD handles a datagram.
func (q *qp) receiveUD(p *wire.Packet, from *receiver) counter {
	n := len(p.Payload)
	switch {
	case p.QKey != q.config.QKey:
		return badQKey
	case n > q.mtu:
		return badMessage
	case !q.hold():
		return noReceive
	}
	to := &q.receive().Local
	if int(to.Length) < verbs.GRHBytes+n {
		return receiveTooSmall
	}
	r, at, why := q.device.regions.reach(q.pd, to.LKey, to.Addr, verbs.GRHBytes+n, verbs.LocalWrite)
	if why != noDrop {
		return localProtection
	}
	// The packet's IPv4 header takes the second half of the room for a GRH.
	grh := r.whole[at : at+verbs.GRHBytes]
	from.flow.PutIPHeader(grh[verbs.GRHBytes-wire.IPv4Bytes:], p.Bytes(), from.ipID)
	copy(r.whole[at+verbs.GRHBytes:], p.Payload)
	wc := q.received(verbs.WCRecv, uint32(verbs.GRHBytes+n))
	wc.SrcQPN = p.SrcQPN
	if p.Op.Shape().Imm {
		setImm(wc, p)
	}
	return noDrop
}
