package rr

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// world is a system with a clock of its own. Its server answers one message at a time, in the order
// of their sends, and does nothing while it stalls.
type world struct {
	ns              int64
	serviceNs       int64
	stallNs, wakeNs int64   // the server stalls from stallNs to wakeNs
	idleNs          int64   // when the server has answered all so far
	answerNs        []int64 // by seat: when its answer comes; 0: none is under way
	conns           []*conn
	sends           []sample
	events          []unix.EpollEvent
}

// sample is one message as the world saw it.
type sample struct{ intendedNs, sentNs, answerNs int64 }

func (w *world) now() int64 { return w.ns }

func (w *world) send(c *conn) (int, unix.Errno) {
	begin := max(w.ns, w.idleNs)
	if begin < w.wakeNs && begin+w.serviceNs > w.stallNs {
		begin = w.wakeNs
	}
	w.idleNs = begin + w.serviceNs
	w.answerNs[c.seat] = w.idleNs
	if len(w.sends) < cap(w.sends) {
		w.sends = append(w.sends, sample{c.intendedNs, w.ns, w.idleNs})
	}
	return len(c.out) - c.sent, 0
}

func (w *world) receive(c *conn) (int, unix.Errno) {
	if at := w.answerNs[c.seat]; at == 0 || at > w.ns {
		return 0, unix.EAGAIN
	}
	w.answerNs[c.seat] = 0
	return copy(c.in[c.got:], c.out), 0
}

func (w *world) block(*conn, bool) error { return nil }

// wait passes to the next answer, or by d. A wait of 0 takes 100 ns.
func (w *world) wait(d time.Duration) ([]unix.EpollEvent, error) {
	next := w.ns + max(int64(d), 100)
	for _, at := range w.answerNs {
		if at > 0 {
			next = min(next, max(at, w.ns))
		}
	}
	w.ns = next
	w.events = w.events[:0]
	for seat, at := range w.answerNs {
		if at > 0 && at <= w.ns {
			w.events = append(w.events, unix.EpollEvent{Fd: int32(seat)})
		}
	}
	return w.events, nil
}

// newThread makes a thread in the world, which measures from 0 to the period.
func (w *world) newThread(connections int, perSecond float64, period time.Duration) *thread {
	w.answerNs = make([]int64, connections)
	w.events = make([]unix.EpollEvent, 0, connections)
	w.conns = nil
	for i := range connections {
		c := newConn(i, -1, 16)
		c.seat = i
		w.conns = append(w.conns, c)
	}
	t := &thread{
		system: w, conns: w.conns, free: make([]*conn, connections), stop: &atomic.Bool{},
		record: newRecord(perSecond > 0, 0, int64(period), 10),
		toNs:   int64(period), graceNs: int64(period + grace),
	}
	if perSecond > 0 {
		t.arrivals = newArrivals(1, 0, perSecond, 0)
	}
	return t
}

func merged(t *testing.T, hs []*hdrhistogram.Histogram) *hdrhistogram.Histogram {
	t.Helper()
	return must.Get(results.Merge(hs...))(t)
}

// TestStall: a server stalls for 200 ms of a second. An open loop counts the stall for each message
// that was due in it, as the exact times say. The actual sends hide most of it. So does a closed
// loop.
func TestStall(t *testing.T) {
	const rate, service = 2000, 20 * time.Microsecond
	const from, to = 400 * time.Millisecond, 600 * time.Millisecond
	w := &world{
		serviceNs: int64(service), stallNs: int64(from), wakeNs: int64(to),
		sends: make([]sample, 0, 2*rate),
	}
	open := w.newThread(4, rate, time.Second)
	must.Do(t, open.run())
	intended, actual := merged(t, open.record.intended), merged(t, open.record.actual)
	var exact []int64
	for _, s := range w.sends {
		exact = append(exact, s.answerNs-s.intendedNs)
	}
	slices.Sort(exact)
	n := intended.TotalCount()
	if int(n) != len(exact) || n != int64(open.record.messages) || n != actual.TotalCount() {
		t.Fatalf("%d intended, %d actual latencies of %d messages", n, actual.TotalCount(), len(exact))
	}
	for _, p := range []float64{50, 75, 90, 99, 99.9} {
		at := int(p / 100 * float64(len(exact)))
		low, high := float64(exact[max(0, at-2)])*.999, float64(exact[min(at+1, len(exact)-1)])*1.001
		if got := float64(intended.ValueAtPercentile(p)); got < low || got > high {
			t.Errorf("percentile %v is %v ns, want %v to %v", p, got, low, high)
		}
	}
	// A fifth of the messages were due in the stall: one in ten waits for half of it or more.
	if p90 := intended.ValueAtPercentile(90); p90 < int64(80*time.Millisecond) {
		t.Errorf("from the intended send, percentile 90 is %v", time.Duration(p90))
	}
	if p99 := actual.ValueAtPercentile(99); p99 > int64(time.Millisecond) {
		t.Errorf("from the actual send, percentile 99 is %v", time.Duration(p99))
	}
	if late := open.record.late; late < rate/10 || late > rate*3/10 {
		t.Errorf("%d of %d messages are late", late, open.record.messages)
	}
	if lag := open.record.lag.Max(); lag > int64(time.Microsecond) {
		t.Errorf("the server's stall is the client's lag: %d ns", lag)
	}
	closed := w.newThread(4, 0, time.Second)
	w.ns, w.idleNs = 0, 0
	must.Do(t, closed.run())
	if p99 := merged(t, closed.record.actual).ValueAtPercentile(99); p99 > int64(time.Millisecond) {
		t.Errorf("in a closed loop, percentile 99 is %v", time.Duration(p99))
	}
}

// TestOverload: a rate beyond the server's. Each message of the period counts, also those that are
// never sent, with their age.
func TestOverload(t *testing.T) {
	const rate = 10_000
	w := &world{serviceNs: int64(time.Millisecond), sends: make([]sample, 0, rate)}
	th := w.newThread(2, rate, time.Second)
	must.Do(t, th.run())
	r := th.record
	if r.answers < 990 || r.answers > 1000 {
		t.Errorf("%d answers in the period, of 1000", r.answers)
	}
	if r.messages < rate*95/100 || r.messages > rate*105/100 {
		t.Errorf("%d messages, want about %d", r.messages, rate)
	}
	intended := merged(t, r.intended)
	if n := intended.TotalCount(); n != int64(r.messages) || r.unanswered < rate*3/4 {
		t.Errorf("%d latencies of %d messages, %d unanswered", n, r.messages, r.unanswered)
	}
	if p50 := intended.ValueAtPercentile(50); p50 < int64(time.Second) {
		t.Errorf("half of the messages waited for %v or less", time.Duration(p50))
	}
}

// TestPoisson: the intended times have the mean and the deviation of a Poisson process, and all
// threads together have the rate.
func TestPoisson(t *testing.T) {
	const n, threads = 50_000, 4
	var sum, squares float64
	for thread := range threads {
		a := newArrivals(3, thread, 1000, 0)
		last := 0.0
		for range n {
			gap := a.dueNs - last
			last = a.dueNs
			sum += gap
			squares += gap * gap
			a.advance()
		}
	}
	mean := sum / (n * threads)
	deviation := math.Sqrt(squares/(n*threads) - mean*mean)
	if math.Abs(mean/1e6-1) > .02 || math.Abs(deviation/mean-1) > .02 {
		t.Errorf("the gaps' mean is %v ns, their deviation %v", mean, deviation)
	}
}

// TestNoAllocation: no message allocates, in either loop.
func TestNoAllocation(t *testing.T) {
	for name, rate := range map[string]float64{"closed": 0, "open": 1000} {
		w := &world{serviceNs: int64(10 * time.Microsecond)}
		th := w.newThread(4, rate, time.Second)
		if n := testing.AllocsPerRun(3, func() {
			w.ns, w.idleNs, th.checkNs = 0, 0, 0
			th.freeAt, th.freeN = 0, 0
			if th.arrivals != nil {
				th.arrivals.dueNs = 0
			}
			must.Do(t, th.run())
		}); n != 0 {
			t.Errorf("%s: a second of messages has %v allocations", name, n)
		}
		if th.record.answers < 1000 {
			t.Errorf("%s: only %d answers", name, th.record.answers)
		}
	}
}
