package softroce

import (
	"encoding/binary"

	"dpukv/verbs"
)

// receiveUC takes a packet of an unreliable connection. Losses only show as gaps: a message with a gap is
// dropped from there on.
//
// The specification takes any PSN at the start of a message. This device takes any but those of the past: a UC
// sender never goes back, so such a packet was duplicated or overtaken on the way, and would write old bytes
// over new ones.
func (q *qp) receiveUC(p *packet) counter {
	ahead := psnDiff(p.psn, q.expected)
	if ahead < 0 {
		return stalePSN
	}
	if ahead > 0 {
		q.device.counters.add(psnGaps, 1)
	}
	s := p.op.shape()
	if ahead > 0 || s.first {
		q.in.reset()
	}
	q.expected = (p.psn + 1) & psnMask
	if !s.first && q.in.kind == kindNone {
		return outOfSequence
	}
	why := q.accept(p)
	if why != noDrop {
		q.in.reset()
	}
	return why
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
