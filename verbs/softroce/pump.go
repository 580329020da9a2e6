package softroce

import "dpukv/verbs/softroce/wire"

import "dpukv/verbs"

// pump sends what may go out. The lock is held until it has, so that packets leave in order.
func (r *requester) pump() {
	if r.notReady || r.stuck || r.next == r.end {
		return
	}
	b := r.q.device.batch()
	for r.next < r.end && r.next < r.acked+r.window {
		for r.next >= r.entry(r.cursor).end() {
			r.cursor++
		}
		if !r.emit(b, r.entry(r.cursor)) {
			break
		}
	}
	_ = b.flush() // lost packets are sent again, and tx_errors counts them
	r.q.device.giveBack(b)
	if r.deadline == 0 && r.next > r.acked {
		r.restartTimer()
	}
}

// emit sends one packet, and tells whether more may follow.
func (r *requester) emit(b *batch, e *entry) bool {
	data, err := r.data(e)
	if err != nil {
		r.stuck = true
		r.failIfStuck()
		return false
	}
	if e.wr.Op == verbs.OpRead {
		return r.emitRead(b, e)
	}
	i := r.next - e.first
	p := &b.packet
	r.q.segment(p, &e.wr, data, int(i), int(e.packets))
	p.PSN = r.psn(r.next)
	p.AckReq = i+1 == e.packets && e.wr.Flags&verbs.Signaled != 0 ||
		r.next+1 == r.end || r.next+1 == r.acked+r.window || r.next%ackEvery == ackEvery-1
	_ = b.add(&r.q.path, p) // as in pump
	r.advanceNext(1)
	return true
}

// emitRead asks for a part of a READ. Parts have fixed borders: the responder counts the PSNs of a part when it
// sees its request, so a repeated request must not go beyond.
func (r *requester) emitRead(b *batch, e *entry) bool {
	if len(r.reads) == maxReads {
		return false
	}
	i := r.next - e.first
	n := min(e.packets, (i/readPart+1)*readPart) - i
	at := i * uint64(r.q.mtu)
	p := wire.Packet{
		Op: wire.TransportRC | wire.OpReadRequest, DstQPN: r.q.peer.QPN & wire.QPNMask, PSN: r.psn(r.next), AckReq: true,
		VA: e.wr.Remote + at, RKey: e.wr.RKey,
		DMALen: uint32(min(uint64(e.wr.Local.Length)-at, n*uint64(r.q.mtu))),
	}
	_ = b.add(&r.q.path, &p) // as in pump
	r.advanceNext(n)
	r.reads = append(r.reads, r.next)
	return true
}

func (r *requester) advanceNext(n uint64) {
	if r.next < r.sent {
		r.q.device.counters.add(retransmitted, min(n, r.sent-r.next))
	}
	r.next += n
	r.sent = max(r.sent, r.next)
}
