package softroce

import "dpukv/verbs/softroce/wire"

import "dpukv/verbs"

// responder is the part of an RC QP's receive side that UC does not have. It belongs to the holder
// of the device's receiver.
type responder struct {
	msn     uint32 // completed messages
	ackDue  bool
	nakked  bool // until the expected packet comes
	touched bool // in receiver.touched
}

// receiveRC handles a packet of a reliable connection.
func (r *receiver) receiveRC(q *qp, p *wire.Packet) counter {
	if !q.respond.touched {
		q.respond.touched = true
		r.touched = append(r.touched, q)
	}
	switch p.Op.Shape().Kind {
	case wire.KindAck:
		return q.request.acknowledged(p)
	case wire.KindReadResponse:
		return q.request.answered(p)
	}
	switch ahead := wire.PSNDiff(p.PSN, q.expected); {
	case ahead < 0:
		return r.repeated(q, p)
	case ahead > 0:
		r.nakOnce(q, wire.NakSequence)
		return outOfSequence
	}
	why := r.requested(q, p)
	if why != noDrop {
		r.refuse(q, p, why)
	}
	return why
}

// requested executes the next request in order.
func (r *receiver) requested(q *qp, p *wire.Packet) counter {
	s, packets := p.Op.Shape(), 1
	if s.Kind == wire.KindReadRequest {
		if q.in.kind != wire.NoKind {
			return badMessage
		}
		n, why := r.answerRead(q, p)
		if why != noDrop {
			return why
		}
		packets = n
	} else {
		if why := q.accept(p); why != noDrop {
			return why
		}
		q.respond.ackDue = q.respond.ackDue || p.AckReq
		if s.Last {
			q.respond.msn = (q.respond.msn + 1) & wire.PSNMask
		}
	}
	q.expected = (q.expected + uint32(packets)) & wire.PSNMask
	q.respond.nakked = false
	return noDrop
}

// repeated answers a request that was executed before: its answer was lost. It executes a READ
// again.
func (r *receiver) repeated(q *qp, p *wire.Packet) counter {
	r.device.counters.add(duplicates, 1)
	if p.Op.Shape().Kind != wire.KindReadRequest {
		q.respond.ackDue = true
		return noDrop
	}
	msn := q.respond.msn
	// An illegal one does not end the QP: half of all PSNs count as repeated, so anybody could send
	// it.
	_, why := r.answerRead(q, p)
	q.respond.msn = msn
	return why
}

// answerRead sends the whole response to a READ at once, and returns its number of packets.
func (r *receiver) answerRead(q *qp, p *wire.Packet) (int, counter) {
	if p.DMALen > maxMessageBytes || len(p.Payload) != 0 {
		return 0, badMessage
	}
	var data []byte
	if p.DMALen > 0 {
		m, at, why := r.device.regions.reach(q.pd, p.RKey, p.VA, int(p.DMALen), verbs.RemoteRead)
		if why != noDrop {
			return 0, why
		}
		data = m.whole[at : at+int(p.DMALen)]
	}
	q.respond.msn = (q.respond.msn + 1) & wire.PSNMask
	n := packetsOf(len(data), q.mtu)
	for i := range n {
		r.answer(q, &wire.Packet{
			Op: wire.TransportRC | wire.ReadOpcode(i, n), PSN: (p.PSN + uint32(i)) & wire.PSNMask,
			Syndrome: wire.AckUnlimited,
			Payload:  data[i*q.mtu : min((i+1)*q.mtu, len(data))],
		})
	}
	return n, noDrop
}

// answer sends a packet back. If it is lost, the peer asks again.
func (r *receiver) answer(q *qp, p *wire.Packet) {
	p.DstQPN, p.MSN = q.peer.QPN&wire.QPNMask, q.respond.msn
	_ = r.answers.add(&q.path, p)
}

// nakOnce tells the peer where to continue. It does so again only after a right packet.
func (r *receiver) nakOnce(q *qp, syndrome uint8) {
	if q.respond.nakked {
		return
	}
	q.respond.nakked = true
	q.respond.ackDue = false // the NAK covers the ACK
	r.device.counters.add(naksSent, 1)
	r.answer(q, &wire.Packet{
		Op: wire.TransportRC | wire.OpAck, PSN: q.expected,
		Syndrome: syndrome,
	})
}

// refuse answers a request that cannot be executed. Unless only a receive is missing, it ends the
// QP.
func (r *receiver) refuse(q *qp, p *wire.Packet, why counter) {
	if why == noReceive {
		r.device.counters.add(rnrNaksSent, 1)
		q.respond.nakked = false // this is the expected packet: the peer has tried again
		r.nakOnce(q, wire.RNRTimer)
		return
	}
	q.respond.nakked = false
	q.respond.ackDue = false
	r.device.counters.add(naksSent, 1)
	r.answer(q, &wire.Packet{Op: wire.TransportRC | wire.OpAck, PSN: p.PSN, Syndrome: nakFor(why)})
	if status := receiveStatus(why); status != verbs.StatusSuccess && q.hold() {
		q.received(verbs.WCRecv, 0).Status = status
	}
	q.request.mu.Lock()
	defer q.request.mu.Unlock()
	q.request.fail(verbs.StatusFlushed, "refused the peer's request: "+counterNames[why])
}

func nakFor(why counter) uint8 {
	switch why {
	case badRKey, outOfRegion, noRemoteAccess:
		return wire.NakRemoteAccess
	case localProtection:
		return wire.NakRemoteOp
	}
	return wire.NakInvalidRequest
}

// receiveStatus returns the status of the receive that a refused request would have completed.
func receiveStatus(why counter) verbs.WCStatus {
	switch why {
	case receiveTooSmall:
		return verbs.StatusLocalLength
	case localProtection:
		return verbs.StatusLocalProtect
	}
	return verbs.StatusSuccess
}

// finish sends the packets that have become due: one ACK for all of a QP's requests, and packets
// that ACKs have made room for.
func (r *receiver) finish() {
	for _, q := range r.touched {
		q.respond.touched = false
		if q.respond.ackDue {
			q.respond.ackDue = false
			r.device.counters.add(acksSent, 1)
			r.answer(q, &wire.Packet{
				Op:  wire.TransportRC | wire.OpAck,
				PSN: (q.expected - 1) & wire.PSNMask, Syndrome: wire.AckUnlimited,
			})
		}
	}
	_ = r.answers.flush() // tx_errors counts failures, and the peer asks again
	for _, q := range r.touched {
		q.request.mu.Lock()
		if q.is(stateReady) {
			q.request.transmit()
		}
		q.request.mu.Unlock()
	}
	r.touched = r.touched[:0]
}
