package softroce

import "dpukv/verbs/softroce/wire"

import "dpukv/verbs"

// acknowledged takes an ACK or NAK. Called by the receiver.
func (r *requester) acknowledged(p *wire.Packet) counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.sequence(p.PSN)
	if at < int64(r.acked) || at >= int64(r.sent) {
		return unexpectedAck
	}
	sequence := uint64(at)
	switch p.Syndrome >> wire.SyndromeShift {
	case wire.SyndromeAck:
		if !r.advance(sequence + 1) {
			r.lost()
		}
	case wire.SyndromeRNR:
		r.peerNotReady(sequence, p.Syndrome)
	case wire.SyndromeNak:
		r.refused(sequence, p.Syndrome)
	default:
		return badMessage
	}
	return noDrop
}

// advance moves acked up to a sequence number, and completes requests on the way. It stops at a READ, for which
// the data must come; then it returns false.
func (r *requester) advance(to uint64) bool {
	before := r.acked
	for r.acked < to {
		e := r.entry(r.oldest)
		if e.wr.Op == verbs.OpRead {
			break
		}
		r.acked = min(to, e.end())
		r.completeOldest(e)
	}
	if r.acked > before {
		r.progressed()
	}
	return r.acked == to
}

// completeOldest completes the oldest request if all of it is done.
func (r *requester) completeOldest(e *entry) {
	if r.acked < e.end() {
		return
	}
	if e.wr.Flags&verbs.Signaled != 0 {
		wc := verbs.WC{ID: e.wr.ID, QPN: r.q.num, Op: completionOf(e.wr.Op)}
		if e.wr.Op == verbs.OpRead {
			wc.Bytes = e.wr.Local.Length
		}
		r.q.sendCQ.push(wc)
	}
	r.oldest++
}

// progressed follows acked with all that depends on it.
func (r *requester) progressed() {
	r.next, r.cursor = max(r.next, r.acked), max(r.cursor, r.oldest)
	done := 0
	for done < len(r.reads) && r.reads[done] <= r.acked {
		done++
	}
	r.reads = append(r.reads[:0], r.reads[done:]...)
	r.tries, r.rnrTries, r.wentBack, r.notReady = 0, 0, false, false
	r.deadline = 0
	if r.next > r.acked {
		r.restartTimer()
	}
	r.failIfStuck()
}

// lost notes that something before what has just come in is missing, and goes back, once.
func (r *requester) lost() {
	if !r.wentBack {
		r.goBack()
	}
}

func (r *requester) peerNotReady(sequence uint64, syndrome uint8) {
	if !r.advance(sequence) {
		r.lost()
		return
	}
	r.rnrTries++
	limit := r.q.device.opts.RNRRetryCount
	if limit != infiniteRNRRetries && r.rnrTries > limit {
		r.fail(verbs.StatusRNRExceeded, "the peer has no receive posted")
		return
	}
	r.rnrWait(wire.RNRDelay(syndrome))
}

func (r *requester) refused(sequence uint64, syndrome uint8) {
	if !r.advance(sequence) || syndrome == wire.NakSequence {
		r.lost()
		return
	}
	r.fail(wire.NakStatus(syndrome), "the peer refused a request: "+wire.NakStatus(syndrome).String())
}

// answered takes a packet that answers a READ. Called by the receiver.
func (r *requester) answered(p *wire.Packet) counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.sequence(p.PSN)
	if at < int64(r.acked) || at >= int64(r.sent) {
		return unexpectedAck
	}
	if !r.advance(uint64(at)) {
		r.lost()
		return outOfSequence
	}
	e := r.entry(r.oldest)
	if e.wr.Op != verbs.OpRead {
		return unexpectedAck
	}
	return r.readPacket(e, p)
}

// readPacket stores the next packet of a READ.
func (r *requester) readPacket(e *entry, p *wire.Packet) counter {
	at := int(r.acked-e.first) * r.q.mtu
	if len(p.Payload) != min(r.q.mtu, int(e.wr.Local.Length)-at) {
		return badMessage
	}
	data, err := r.q.check(&e.wr)
	if err != nil {
		r.fail(verbs.StatusLocalProtect, err.Error())
		return localProtection
	}
	copy(data[at:], p.Payload)
	r.acked++
	r.completeOldest(e)
	r.progressed()
	return noDrop
}
