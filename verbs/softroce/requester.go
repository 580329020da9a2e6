package softroce

import (
	"fmt"
	"sync"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"
)

const (
	// maxWindow is the most packets that RC has unacknowledged, and readPart the most that one READ request asks
	// for: a longer READ becomes several, so that its answers do not overrun the receive buffer.
	maxWindow = 256
	readPart  = 32
	// maxReads is how many READ requests are on the way at once. A NIC at the other end must be set up to take
	// as many (max_dest_rd_atomic).
	maxReads = 16
	// ackEvery is how many packets go out until one asks for an ACK, whatever the requests say.
	ackEvery = 32
	// perPacketBytes is what the kernel charges the receive buffer for a packet beyond its payload.
	perPacketBytes = 1024
	// timeoutDoublings bounds the time between two tries.
	timeoutDoublings = 7
)

// entry is a send request on its way.
type entry struct {
	wr      verbs.SendWR
	first   uint64 // sequence number of its first packet
	packets uint64 // and how many numbers it takes
	inline  []byte // its data, when it was posted inline
}

func (e *entry) end() uint64 { return e.first + e.packets }

// requester is the send side of an RC QP: go-back-N over a window of packets. Packets have sequence numbers that
// do not wrap; the PSN is their low 24 bits, from the QP's first PSN.
//
//	acked ≤ next ≤ end, next ≤ sent
type requester struct {
	q  *qp
	mu sync.Mutex

	ring           []entry // entry i lies at i modulo its length
	oldest, newest uint64  // entries not completed; newest is the next one posted
	cursor         uint64  // the entry of next, or newest

	acked uint64 // everything below is done
	next  uint64 // the next to go out
	end   uint64 // of what is posted
	sent  uint64 // of what went out at any time

	reads  []uint64 // ends of the READ requests on the way
	window uint64

	deadline int64 // 0: none
	tries    int   // times without progress
	rnrTries int
	notReady bool // the peer asked to wait until the deadline
	stuck    bool // the next request's memory is gone
	wentBack bool // since there was progress: one loss shows in many packets
}

func newRequester(q *qp) *requester {
	window := q.device.socket.receiveBytes / 2 / (q.mtu + perPacketBytes)
	return &requester{
		q: q, ring: make([]entry, q.config.MaxSend), reads: make([]uint64, 0, maxReads),
		window: uint64(min(max(window, 2*readPart), maxWindow)),
	}
}

func (r *requester) entry(i uint64) *entry { return &r.ring[i%uint64(len(r.ring))] }

func (r *requester) psn(sequence uint64) uint32 {
	return (r.q.psn + uint32(sequence)) & psnMask
}

// sequence is the number nearest to acked with a PSN.
func (r *requester) sequence(psn uint32) int64 {
	return int64(r.acked) + int64(psnDiff(psn, r.psn(r.acked)))
}

// post takes requests, and sends what the window lets through.
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
	r.pump()
	return n, err
}

func (r *requester) append(wr *verbs.SendWR) error {
	if err := r.q.usable(true); err != nil { // once more, now that no failure can come between
		return err
	}
	if r.newest-r.oldest == uint64(len(r.ring)) {
		return fmt.Errorf("%w: it holds %d", verbs.ErrQueueFull, len(r.ring))
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

// data is the memory of a request, which may have gone since it was posted.
func (r *requester) data(e *entry) ([]byte, error) {
	if e.wr.Flags&verbs.Inline != 0 {
		return e.inline, nil
	}
	return r.q.check(&e.wr)
}

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
	p.psn = r.psn(r.next)
	p.ackReq = i+1 == e.packets && e.wr.Flags&verbs.Signaled != 0 ||
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
	p := packet{
		op: transportRC | opReadRequest, dstQPN: r.q.peer.QPN & qpnMask, psn: r.psn(r.next), ackReq: true,
		va: e.wr.Remote + at, rkey: e.wr.RKey,
		dmaLen: uint32(min(uint64(e.wr.Local.Length)-at, n*uint64(r.q.mtu))),
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

// goBack makes pump start again at the first packet that is not done.
func (r *requester) goBack() {
	r.next, r.cursor = r.acked, r.oldest
	r.reads = r.reads[:0]
	r.wentBack = true
}

func (r *requester) setDeadline(at int64) {
	r.deadline = at
	r.q.device.timers.arm(at)
}

// restartTimer waits for an ACK from now on; longer, the more often none came.
func (r *requester) restartTimer() {
	r.setDeadline(cpu.NowNs() + int64(r.q.device.opts.AckTimeout<<min(r.tries, timeoutDoublings)))
}

// expire acts when the deadline is over, and returns the next.
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
		r.pump()
	}
	if r.deadline == 0 {
		return true, never
	}
	return true, r.deadline
}

// failIfStuck has the receive side end the QP, once all requests before the one without memory are done.
func (r *requester) failIfStuck() {
	if r.stuck && r.oldest == r.cursor {
		r.setDeadline(cpu.NowNs())
	}
}

func (r *requester) timeout() {
	r.q.device.counters.add(timeouts, 1)
	r.tries++
	if r.tries > r.q.device.opts.RetryCount {
		r.fail(verbs.StatusRetryExceeded, fmt.Sprintf("no answer from %s after %d tries", r.q.peer, r.tries))
		return
	}
	r.goBack()
	r.stuck = false
	r.restartTimer()
}

// fail ends the QP: the oldest request with a status, the others flushed. The lock is held, and so is the receiver.
func (r *requester) fail(status verbs.WCStatus, why string) {
	if !r.q.fail(why) {
		return
	}
	r.deadline = 0
	for ; r.oldest != r.newest; r.oldest++ {
		e := r.entry(r.oldest)
		r.q.sendCQ.push(verbs.WC{ID: e.wr.ID, QPN: r.q.num, Op: completionOf(e.wr.Op), Status: status})
		status = verbs.StatusFlushed
	}
}

// fail puts the QP into the error state and flushes its receives. Called by the receiver.
func (q *qp) fail(why string) bool {
	if !q.state.CompareAndSwap(int32(stateReady), int32(stateError)) {
		return false
	}
	q.device.event(verbs.Event{Kind: "QP fatal", QPN: q.num, Err: fmt.Errorf("QP %#x with %s: %s", q.num, q.peer, why)})
	for q.hold() {
		q.received(&verbs.WC{Op: verbs.WCRecv, Status: verbs.StatusFlushed})
	}
	return true
}

// rnrWait holds everything back for as long as the peer asked.
func (r *requester) rnrWait(delay time.Duration) {
	r.goBack()
	r.notReady = true
	r.setDeadline(cpu.NowNs() + int64(delay))
}
