package softroce

import (
	"fmt"
	"sync"

	"dpukv/internal/cpu"
	"dpukv/verbs"
	"dpukv/verbs/softroce/wire"
)

const (
	// maxWindow is the most unacknowledged packets of RC. readPart is the most packets that one
	// READ request asks for: a longer READ becomes several requests, so that its answers do not
	// overrun the receive buffer.
	maxWindow = 256
	readPart  = 32
	// maxReads is the most outstanding READ requests. A NIC at the other end must accept as many
	// (max_dest_rd_atomic).
	maxReads = 16
	// ackEvery is the most packets without a request for an ACK, whatever the work requests say.
	ackEvery = 32
	// perPacketBytes is what the kernel charges the receive buffer per packet beyond its payload.
	perPacketBytes = 1024
	// timeoutDoublings limits the time between two tries.
	timeoutDoublings = 7
)

// entry is an outstanding send request.
type entry struct {
	wr      verbs.SendWR
	first   uint64 // sequence number of its first packet
	packets uint64 // number of its sequence numbers
	inline  []byte // its data, if it was posted inline
}

func (e *entry) end() uint64 { return e.first + e.packets }

// requester is the send side of an RC QP: go-back-N over a window of packets. Packets have sequence
// numbers that do not wrap; the PSN is their low 24 bits, from the QP's first PSN.
//
//	acked ≤ next ≤ end, next ≤ sent
type requester struct {
	q  *qp
	mu sync.Mutex

	ring           []entry // entry i lies at i modulo its length
	oldest, newest uint64  // incomplete entries; newest is the next one posted
	cursor         uint64  // the entry of next, or newest

	acked uint64 // everything below is acknowledged
	next  uint64 // the next packet to send
	end   uint64 // of the posted packets
	sent  uint64 // of the packets ever sent

	reads  []uint64 // ends of the outstanding READ requests
	window uint64

	deadline int64 // 0: none
	tries    int   // tries without progress
	rnrTries int
	notReady bool // the peer asked to wait until the deadline
	stuck    bool // the next request's memory is gone
	wentBack bool // since the last progress: one loss shows in many packets
}

func newRequester(q *qp) *requester {
	window := q.device.socket.ReceiveBytes / 2 / (q.mtu + perPacketBytes)
	return &requester{
		q: q, ring: make([]entry, q.config.MaxSend), reads: make([]uint64, 0, maxReads),
		window: uint64(min(max(window, 2*readPart), maxWindow)),
	}
}

func (r *requester) entry(i uint64) *entry { return &r.ring[i%uint64(len(r.ring))] }

func (r *requester) psn(sequence uint64) uint32 {
	return (r.q.psn + uint32(sequence)) & wire.PSNMask
}

// sequence returns the sequence number nearest to acked with a given PSN.
func (r *requester) sequence(psn uint32) int64 {
	return int64(r.acked) + int64(wire.PSNDiff(psn, r.psn(r.acked)))
}

// post takes requests, and sends as many packets as the window allows.
func (r *requester) post(wrs []verbs.SendWR) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	var err error
	for ; n < len(wrs) && err == nil; n++ {
		err = r.append(&wrs[n])
	}
	if err != nil {
		n--
		err = fmt.Errorf("send %d of the list: %w", n, err)
	}
	r.transmit()
	return n, err
}

func (r *requester) append(wr *verbs.SendWR) error {
	if err := r.q.usable(true); err != nil { // again, now that no failure can come between
		return err
	}
	if r.newest-r.oldest == uint64(len(r.ring)) {
		return fmt.Errorf("%w: the queue holds %d", verbs.ErrQueueFull, len(r.ring))
	}
	data, err := r.q.check(wr)
	if err != nil {
		return err
	}
	e := r.entry(r.newest)
	e.wr, e.first, e.packets = *wr, r.end, uint64(packetsOf(len(data), r.q.mtu))
	if wr.Flags&verbs.Inline != 0 {
		e.inline = append(e.inline[:0], data...)
	}
	r.end = e.end()
	r.newest++
	return nil
}

// data returns the memory of a request. That memory may have been closed since the post.
func (r *requester) data(e *entry) ([]byte, error) {
	if e.wr.Flags&verbs.Inline != 0 {
		return e.inline, nil
	}
	return r.q.check(&e.wr)
}

// transmit sends packets within the window. It holds the lock until it has, so that packets leave
// in order.
func (r *requester) transmit() {
	if r.notReady || r.stuck || r.next == r.end {
		return
	}
	b := r.q.device.batch()
	for r.next < r.end && r.next < r.acked+r.window {
		for r.next >= r.entry(r.cursor).end() {
			r.cursor++
		}
		if !r.emitPacket(b, r.entry(r.cursor)) {
			break
		}
	}
	_ = b.flush() // lost packets are sent again, and tx_errors counts them
	r.q.device.giveBack(b)
	if r.deadline == 0 && r.next > r.acked {
		r.restartTimer()
	}
}

// emitPacket sends one packet, and reports whether more may follow.
func (r *requester) emitPacket(b *batch, e *entry) bool {
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
	_ = b.add(&r.q.path, p) // as in transmit
	r.advanceNext(1)
	return true
}

// emitRead requests a part of a READ. Parts have fixed borders: the responder reserves the PSNs of
// a part when it sees the request, so a repeated request must not exceed them.
func (r *requester) emitRead(b *batch, e *entry) bool {
	if len(r.reads) == maxReads {
		return false
	}
	i := r.next - e.first
	n := min(e.packets, (i/readPart+1)*readPart) - i
	at := i * uint64(r.q.mtu)
	p := wire.Packet{
		Op: wire.TransportRC | wire.OpReadRequest, DstQPN: r.q.peer.QPN & wire.QPNMask,
		PSN: r.psn(r.next), AckReq: true,
		VA: e.wr.Remote + at, RKey: e.wr.RKey,
		DMALen: uint32(min(uint64(e.wr.Local.Length)-at, n*uint64(r.q.mtu))),
	}
	_ = b.add(&r.q.path, &p) // as in transmit
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

// acknowledged handles an ACK or NAK. The receiver calls it.
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

// advance moves acked up to a sequence number, and completes requests on the way. At a READ, whose
// data must come first, it stops and returns false.
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

// completeOldest completes the oldest request if all of it is acknowledged.
func (r *requester) completeOldest(e *entry) {
	if r.acked < e.end() {
		return
	}
	if e.wr.Flags&verbs.Signaled != 0 {
		wc := verbs.WC{ID: e.wr.ID, QPN: r.q.num, Op: e.wr.Op.Completion()}
		if e.wr.Op == verbs.OpRead {
			wc.Bytes = e.wr.Local.Length
		}
		r.q.sendCQ.push(wc)
	}
	r.oldest++
}

// progressed updates everything that depends on acked.
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

// lost handles a gap before the current packet: it goes back, once.
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
	r.goBack()
	r.notReady = true // everything waits for as long as the peer asked
	r.setDeadline(cpu.NowNs() + int64(wire.RNRDelay(syndrome)))
}

func (r *requester) refused(sequence uint64, syndrome uint8) {
	if !r.advance(sequence) || syndrome == wire.NakSequence {
		r.lost()
		return
	}
	r.fail(wire.NakStatus(syndrome),
		"the peer refused a request: "+wire.NakStatus(syndrome).String())
}

// answered handles a READ response. The receiver calls it.
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

// goBack makes transmit start again at the first unacknowledged packet.
func (r *requester) goBack() {
	r.next, r.cursor = r.acked, r.oldest
	r.reads = r.reads[:0]
	r.wentBack = true
}

func (r *requester) setDeadline(at int64) {
	r.deadline = at
	r.q.device.timers.arm(at)
}

// restartTimer starts the wait for an ACK. The more tries had none, the longer it waits.
func (r *requester) restartTimer() {
	r.setDeadline(cpu.NowNs() + int64(r.q.device.opts.AckTimeout<<min(r.tries, timeoutDoublings)))
}

// expire acts when the deadline has passed, and returns the next deadline.
func (r *requester) expire(now int64) (bool, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.q.is(stateReady) || r.deadline == 0 {
		return false, never
	}
	if now < r.deadline {
		return false, r.deadline
	}
	r.deadline = 0
	switch {
	case r.stuck && r.oldest == r.cursor:
		r.fail(verbs.StatusLocalProtect, "the memory of a posted request is gone")
	case r.notReady:
		r.notReady = false
	default:
		r.timeout()
	}
	if r.q.is(stateReady) {
		r.transmit()
	}
	if r.deadline == 0 {
		return true, never
	}
	return true, r.deadline
}

// failIfStuck makes the receive side end the QP, once all requests before the one without memory
// are complete.
func (r *requester) failIfStuck() {
	if r.stuck && r.oldest == r.cursor {
		r.setDeadline(cpu.NowNs())
	}
}

func (r *requester) timeout() {
	r.q.device.counters.add(timeouts, 1)
	r.tries++
	if r.tries > r.q.device.opts.RetryCount {
		r.fail(verbs.StatusRetryExceeded,
			fmt.Sprintf("no answer from %s after %d tries", r.q.peer, r.tries))
		return
	}
	r.goBack()
	r.stuck = false
	r.restartTimer()
}

// fail ends the QP. The oldest request gets a status, the others are flushed. The caller holds the
// lock and the receiver.
func (r *requester) fail(status verbs.WCStatus, why string) {
	if !r.q.fail(why) {
		return
	}
	r.deadline = 0
	for ; r.oldest != r.newest; r.oldest++ {
		e := r.entry(r.oldest)
		r.q.sendCQ.push(verbs.WC{
			ID: e.wr.ID, QPN: r.q.num, Op: e.wr.Op.Completion(),
			Status: status,
		})
		status = verbs.StatusFlushed
	}
}
