package softroce

import (
	"encoding/binary"

	"dpukv/verbs"
)

// pastPackets is how far behind the newest WRITE a packet counts as late, and not as one after a
// great loss. At a million packets a second that is 65 ms.
const pastPackets = 1 << 16

// receiveUC takes a packet of an unreliable connection. A message begins with a first or only
// packet of any PSN, and goes on with packets of exactly the next PSN: losses only show as gaps.
// Nothing moves before all of a packet was found right. So one that somebody made up, with the
// peer's address and the QP's number, costs at most the message under way.
//
// The specification lets a late WRITE put its old bytes over newer ones. This device refuses it: a
// UC sender never goes back. Only WRITEs whose key was right say what is new.
func (q *qp) receiveUC(p *packet) counter {
	s := p.op.shape()
	if !s.first && (q.in.kind == kindNone || p.psn != q.expected) {
		return outOfSequence
	}
	keyed := s.kind == kindWrite && (!s.first || p.dmaLen > 0)
	if keyed && s.first && q.isLate(p.psn) {
		return stalePSN
	}
	under := q.in.kind
	if s.first {
		q.in.reset()
	}
	if why := q.accept(p); why != noDrop {
		q.in.kind = under
		return why
	}
	if p.psn != q.expected {
		q.device.counters.add(psnGaps, 1)
	}
	q.expected = (p.psn + 1) & psnMask
	if keyed {
		q.newest = q.expected
	}
	return noDrop
}

// isLate tells whether a packet was sent before the newest WRITE.
func (q *qp) isLate(psn uint32) bool {
	ahead := psnDiff(psn, q.newest)
	return ahead < 0 && ahead >= -pastPackets
}

// receiveUD takes a datagram.
func (q *qp) receiveUD(p *packet, from *receiver) counter {
	n := len(p.payload)
	switch {
	case p.qkey != q.config.QKey:
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
	from.putGRH(r.whole[at:at+verbs.GRHBytes], p)
	copy(r.whole[at+verbs.GRHBytes:], p.payload)
	q.received(&verbs.WC{
		Op: verbs.WCRecv, Bytes: uint32(verbs.GRHBytes + n), SrcQPN: p.srcQPN, Imm: p.imm, HasImm: p.op.shape().immd,
	})
	return noDrop
}

// putGRH puts the packet's IPv4 header into the second half of the room for a GRH. What the ICRC leaves out,
// and a UDP socket does not show, is zero: TOS, TTL and the checksum.
func (r *receiver) putGRH(grh []byte, p *packet) {
	h := grh[verbs.GRHBytes-ipv4Bytes:]
	copy(h, r.flow.ipHeader[:])
	h[1], h[8], h[10], h[11] = 0, 0, 0, 0
	binary.BigEndian.PutUint16(h[ipLengthOffset:], uint16(pseudoBytes+p.wireBytes()))
	binary.BigEndian.PutUint16(h[ipIDOffset:], r.ipID)
}
