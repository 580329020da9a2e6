package softroce

import "dpukv/verbs"

// responder is the receive side of an RC QP, beyond what it shares with UC. It belongs to who holds the
// device's receiver.
type responder struct {
	msn     uint32 // messages completed
	ackDue  bool
	nakked  bool // until the packet comes that is expected
	touched bool // in receiver.touched
}

// receiveRC takes a packet of a reliable connection.
func (r *receiver) receiveRC(q *qp, p *packet) counter {
	if !q.respond.touched {
		q.respond.touched = true
		r.touched = append(r.touched, q)
	}
	switch p.op.shape().kind {
	case kindAck:
		return q.request.acknowledged(p)
	case kindReadResponse:
		return q.request.answered(p)
	}
	switch ahead := psnDiff(p.psn, q.expected); {
	case ahead < 0:
		return r.repeated(q, p)
	case ahead > 0:
		r.nakOnce(q, nakSequence)
		return outOfSequence
	}
	why := r.requested(q, p)
	if why != noDrop {
		r.refuse(q, p, why)
	}
	return why
}

// requested does the request that is next in order.
func (r *receiver) requested(q *qp, p *packet) counter {
	s, packets := p.op.shape(), 1
	if s.kind == kindReadRequest {
		if q.in.kind != kindNone {
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
		q.respond.ackDue = q.respond.ackDue || p.ackReq
		if s.last {
			q.respond.msn = (q.respond.msn + 1) & psnMask
		}
	}
	q.expected = (q.expected + uint32(packets)) & psnMask
	q.respond.nakked = false
	return noDrop
}

// repeated answers a request that was done before: its answer was lost. A READ is done again.
func (r *receiver) repeated(q *qp, p *packet) counter {
	r.device.counters.add(duplicates, 1)
	if p.op.shape().kind != kindReadRequest {
		q.respond.ackDue = true
		return noDrop
	}
	msn := q.respond.msn
	_, why := r.answerRead(q, p)
	q.respond.msn = msn
	if why != noDrop {
		r.refuse(q, p, why)
	}
	return why
}

// answerRead sends what a READ asks for, all at once, and returns how many packets that were.
func (r *receiver) answerRead(q *qp, p *packet) (int, counter) {
	if p.dmaLen > maxMessageBytes || len(p.payload) != 0 {
		return 0, badMessage
	}
	var data []byte
	if p.dmaLen > 0 {
		m, at, why := r.device.regions.reach(q.pd, p.rkey, p.va, int(p.dmaLen), verbs.RemoteRead)
		if why != noDrop {
			return 0, why
		}
		data = m.whole[at : at+int(p.dmaLen)]
	}
	q.respond.msn = (q.respond.msn + 1) & psnMask
	n := packetsOf(len(data), q.mtu)
	for i := range n {
		r.answer(q, &packet{
			op: transportRC | readOpcode(i, n), psn: (p.psn + uint32(i)) & psnMask, syndrome: ackUnlimited,
			payload: data[i*q.mtu : min((i+1)*q.mtu, len(data))],
		})
	}
	return n, noDrop
}

// answer sends a packet back. One that gets lost is asked for again.
func (r *receiver) answer(q *qp, p *packet) {
	p.dstQPN, p.msn = q.peer.QPN&qpnMask, q.respond.msn
	_ = r.answers.add(&q.path, p)
}

// nakOnce tells the peer where to go on; again only after something was right.
func (r *receiver) nakOnce(q *qp, syndrome uint8) {
	if q.respond.nakked {
		return
	}
	q.respond.nakked = true
	q.respond.ackDue = false // the NAK says the same
	r.device.counters.add(naksSent, 1)
	r.answer(q, &packet{op: transportRC | opAck, psn: q.expected, syndrome: syndrome})
}

// refuse answers a request that cannot be done. But for a missing receive it is the end of the QP.
func (r *receiver) refuse(q *qp, p *packet, why counter) {
	if why == noReceive {
		r.device.counters.add(rnrNaksSent, 1)
		q.respond.nakked = false // this is the packet expected: the peer has tried again
		r.nakOnce(q, rnrTimer)
		return
	}
	q.respond.nakked = false
	q.respond.ackDue = false
	r.device.counters.add(naksSent, 1)
	r.answer(q, &packet{op: transportRC | opAck, psn: p.psn, syndrome: nakFor(why)})
	if status := receiveStatus(why); status != verbs.StatusSuccess && q.hold() {
		q.received(&verbs.WC{Op: verbs.WCRecv, Status: status})
	}
	q.request.mu.Lock()
	defer q.request.mu.Unlock()
	q.request.fail(verbs.StatusFlushed, "refused the peer's request: "+counterNames[why])
}

func nakFor(why counter) uint8 {
	switch why {
	case badRKey, outOfRegion, noRemoteAccess:
		return nakRemoteAccess
	case localProtection:
		return nakRemoteOp
	}
	return nakInvalidRequest
}

// receiveStatus is how the receive ends that a refused request would have completed.
func receiveStatus(why counter) verbs.WCStatus {
	switch why {
	case receiveTooSmall:
		return verbs.StatusLocalLength
	case localProtection:
		return verbs.StatusLocalProtect
	}
	return verbs.StatusSuccess
}

// finish sends what the packets taken in have made due: one ACK for all of a QP's requests, and what ACKs have
// made room for.
func (r *receiver) finish() {
	for _, q := range r.touched {
		q.respond.touched = false
		if q.respond.ackDue {
			q.respond.ackDue = false
			r.device.counters.add(acksSent, 1)
			r.answer(q, &packet{op: transportRC | opAck, psn: (q.expected - 1) & psnMask, syndrome: ackUnlimited})
		}
	}
	_ = r.answers.flush() // tx_errors counts what fails, and the peer asks again
	for _, q := range r.touched {
		q.request.mu.Lock()
		if q.is(stateReady) {
			q.request.pump()
		}
		q.request.mu.Unlock()
	}
	r.touched = r.touched[:0]
}
