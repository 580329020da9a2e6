package softroce

import (
	"fmt"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"
)

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

// fail ends the QP: the oldest request with a status, the others flushed. The lock is held, and so is the
// receiver.
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
	q.device.events.Add(verbs.Event{Kind: "QP fatal", QPN: q.num, Err: fmt.Errorf("with %s: %s", q.peer, why), Serious: true})
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
