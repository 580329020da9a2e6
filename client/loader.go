package client

import (
	"fmt"
	"sync/atomic"
	"time"

	"dpukv/client/follow"
	"dpukv/client/quota"
	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// period is the measurement period and the warm-up before it, on the monotonic clock.
type period struct {
	startNs int64 // of the load: warm-up
	fromNs  int64 // of the measurement period
	toNs    int64
}

// holds reports whether a time lies in the measurement period.
func (p period) holds(ns int64) bool { return p.fromNs <= ns && ns < p.toNs }

// loader is a thread under load: warm-up, measurement period, cool-down, drain.
type loader struct {
	*thread
	period period
	gen    load.Generator
	rec    recorder
	run    run

	inside  tally // of the measurement period: answered in it, and in an open loop due in it, too
	outside tally // all others
	// answered in the measurement period, even if they were due before it
	answeredIn uint64
	late       uint64 // open loop: due in the measurement period, answered after it
	left       []aged // closed loop: in flight at the end of the measurement period

	submitted    uint64
	deepest      int // closed loop: the most requests in flight when all windows were tried
	begin, end   mark
	begun, ended bool
	cutNs        int64  // when the period ended: nothing sent afterwards counts; 0: not yet
	cutSent      uint64 // open loop: operations sent by then
	finished     bool   // every request is answered, and the unsent ones are recorded
	// others is set once no other client measures any more; nil: there is no other client.
	others *atomic.Bool

	schedule schedule // open loop only

	fills fills
	// writes are keys whose GET was answered, and whose SET waited for that: see Workload.SetAfter.
	writes fills
	play   *player // of a trace; nil: gen makes the operations
	// requests were sent again: a key's answers may come in another order than its operations
	unordered bool
	quota     *quota.Share // nil: the period has a fixed length
	// operations after which the connections are opened anew; 0: never
	reconnectEvery int
	sinceOpen      int // operations submitted
	reconnects     reconnects

	computing computing

	// prepareNext replaces generate where SETs wait for GETs, in the check of the hash share and in
	// the overlap
	prepareNext func()
}

// mark holds the resources used and operations sent at the begin or end of the measurement period.
type mark struct {
	cpuNs     int64
	spunNs    int64
	submitted uint64
	traffic   kvs.Traffic

	reconnects reconnects
	computed   computed
}

// run is a sequence of answers with the same times, mostly those of one batch. Phase and latency
// are computed once for the whole run.
type run struct {
	intendedNs, sentNs, receivedNs int64

	n      int64
	kinds  [loadKinds]int64 // sum to n
	atNs   int64            // decides the interval
	quota  cookie           // inQuota if the operations belong to the quota
	record bool
	late   bool
	tally  *tally
}

func newLoader(t *thread, p period, full chan<- *histPair) *loader {
	l := &loader{
		thread: t,
		period: p,
		rec:    newRecorder(t.cfg, full, p.fromNs, int64(t.cfg.Interval)),
		fills:  fills{on: t.cfg.Fills(), delayNs: int64(t.cfg.FillDelay)},

		reconnectEvery: t.cfg.ReconnectEvery,
		computing:      computing{eachNs: int64(t.cfg.Compute)},
	}
	if t.cfg.SetAfter == load.SetAfterGet {
		l.writes.on, l.prepareNext = true, l.readOrWrite
	}
	if t.cfg.replay != nil {
		l.play = newPlayer(t.cfg.replay, t.cfg, t.id)
	} else {
		l.gen = load.NewGenerator(&t.cfg.Workload, t.cfg.FirstThread+t.id, t.cfg.AllThreads)
	}
	if t.cfg.OpenLoop() {
		l.schedule = schedule{pacer: t.cfg.pacer(t.id), lag: results.NewHistogram()}
	}
	return l
}

// newAside makes a loader of a phase beside the load, whose operations next makes. Nothing of it
// belongs to the point.
func newAside(t *thread, next func()) *loader {
	l := newLoader(t, period{fromNs: openEnd, toNs: openEnd}, nil)
	l.prepareNext, l.reconnectEvery, l.computing.eachNs = next, 0, 0
	return l
}

// load runs from the common start until nothing is outstanding.
func (l *loader) load() error {
	defer l.rec.finish()
	if err := l.awaitStart(); err != nil {
		return err
	}
	step := l.closedStep
	if l.cfg.OpenLoop() {
		step = l.openStep
	}
	for {
		now := l.now()
		if err := l.alive(now); err != nil {
			return err
		}
		over, err := l.tick(now)
		if err != nil {
			return err
		}
		if over && !l.cool() {
			return l.finish()
		}
		switch {
		case l.computing.leftNs > 0:
			err = l.compute(now)
		case l.room() == 0:
			err = l.reconnect(now)
		default:
			err = step(now)
		}
		if err != nil {
			return err
		}
	}
}

func (l *loader) awaitStart() error {
	for {
		left := l.period.startNs - l.now()
		if left <= 0 {
			return nil
		}
		if l.stop.Load() {
			return errStopped
		}
		time.Sleep(min(time.Duration(left), maxWait))
	}
}

// tick notes the period's begin and end. It returns true once the period is over.
func (l *loader) tick(nowNs int64) (over bool, err error) {
	l.schedule.spun(nowNs)
	if l.play != nil {
		if err := l.play.cursor.Err(); err != nil {
			return false, fmt.Errorf("thread %d: trace: %w", l.id, err)
		}
		if l.quota != nil && l.dry() {
			l.quota.Done()
		}
	}
	if !l.begun && nowNs >= l.period.fromNs {
		l.begin, l.begun = l.mark(), true
	}
	if l.quota != nil && !l.ended && l.quota.Over() {
		l.period.toNs = l.quota.LastNs() + 1
	}
	if nowNs < l.period.toNs {
		return false, nil
	}
	if !l.ended {
		l.end, l.ended = l.mark(), true
		err = l.endPeriod(nowNs)
	}
	return true, err
}

func (l *loader) mark() mark {
	traffic := l.traffic()
	return mark{
		cpu.ThreadNs(), l.schedule.spunNs + traffic.SpunNs, l.submitted, traffic, l.reconnects,
		l.computing.computed,
	}
}

// spent returns the difference of the measurement period's two marks. It is zero if the run ended
// before.
func (l *loader) spent() mark {
	if !l.ended {
		return mark{}
	}
	return mark{
		cpuNs:     l.end.cpuNs - l.begin.cpuNs,
		spunNs:    l.end.spunNs - l.begin.spunNs,
		submitted: l.end.submitted - l.begin.submitted,
		traffic:   l.end.traffic.Since(&l.begin.traffic),
		reconnects: reconnects{
			l.end.reconnects.count - l.begin.reconnects.count,
			l.end.reconnects.tookNs - l.begin.reconnects.tookNs,
		},
		computed: l.end.computed.since(l.begin.computed),
	}
}

// untilMark shortens a wait so that it ends with the warm-up or the measurement period.
func (l *loader) untilMark(nowNs int64, wait time.Duration) time.Duration {
	if l.ended {
		return wait
	}
	next := l.period.toNs
	if !l.begun {
		next = l.period.fromNs
	}
	return min(wait, time.Duration(max(next-nowNs, 0)))
}

// closedStep fills the windows and takes the answers that have arrived. A thread that computes
// stops at the end of a batch.
func (l *loader) closedStep(nowNs int64) error {
	for range l.room() {
		if l.dry() {
			return l.awaitLast(nowNs)
		}
		taken, err := l.sendFills(nowNs)
		if taken {
			taken, err = l.sendNext(0)
		}
		if err != nil {
			return err
		}
		if !taken {
			l.deepest = max(l.deepest, l.session.InFlight())
			return l.receive(l.untilMark(nowNs, maxWait))
		}
		if l.computing.leftNs > 0 {
			return l.flush()
		}
	}
	return l.receive(0)
}

// sendNext submits the next operation. It returns false if the session has no room now; the next
// call then offers the operation again.
func (l *loader) sendNext(intendedNs int64) (bool, error) {
	if !l.pending {
		if l.prepareNext != nil {
			l.prepareNext()
		} else {
			l.generate()
		}
		l.req.IntendedNs = intendedNs
		l.markQuota()
	}
	taken, err := l.submit()
	if taken {
		l.submitted++
		l.sinceOpen++
		l.computing.sent(l.cfg.Batch)
	}
	return taken, err
}

// markQuota marks the next request if it belongs to the quota: those sent in the measurement
// period, or in an open loop due in it, until the quota is used up.
func (l *loader) markQuota() {
	if l.quota == nil || !l.begun || l.cfg.OpenLoop() && !l.period.holds(l.req.IntendedNs) {
		return
	}
	if l.quota.Next() {
		l.cookie |= inQuota
	}
}

// generate makes the next request of the workload.
func (l *loader) generate() {
	if l.play != nil {
		l.replayNext()
		return
	}
	key, get := l.gen.Next()
	if get {
		l.prepare(kvs.Get, key)
		return
	}
	l.prepare(kvs.Set, key)
	l.value(key, l.nextVersion(key))
}

// readOrWrite makes the next request of a load whose SETs wait for GETs: a SET as soon as its GET
// is answered.
func (l *loader) readOrWrite() {
	if l.writes.n > 0 {
		key := l.writes.pop().key
		l.prepare(kvs.Set, key)
		l.value(key, l.nextVersion(key))
		return
	}
	key, write := l.gen.NextRead()
	l.prepare(kvs.Get, key)
	if write {
		l.cookie |= setFollows
	}
}

// replayNext makes the next request of the trace.
func (l *loader) replayNext() {
	r := l.play.take()
	l.cfg.replay.note(&r)
	l.prepareSized(r.Op, r.Key, r.KeyBytes)
	if r.Op == kvs.Set || r.Op == kvs.Add {
		l.valueSized(r.Key, r.ValueBytes, l.play.ttl(r.TTL))
	}
}

// dry reports whether every operation of the thread's part of the trace was sent.
func (l *loader) dry() bool { return l.play != nil && !l.play.more && !l.pending }

// awaitLast waits for the answers to a trace's last operations. A period of a fixed length must not
// be longer than they are.
func (l *loader) awaitLast(nowNs int64) error {
	if left := l.period.toNs - nowNs; l.quota == nil && left > int64(l.cfg.Interval) {
		return fmt.Errorf("thread %d: trace: found no operation for the last %v of the "+
			"measurement period, allowed: operations until its end; leave the duration out to "+
			"replay the whole trace", l.id, time.Duration(left).Round(time.Millisecond))
	}
	if err := l.flush(); err != nil {
		return err
	}
	return l.receive(l.untilMark(nowNs, maxWait))
}

func (l *loader) receive(wait time.Duration) error {
	err := l.poll(wait)
	l.countAnswers()
	if n := len(l.answers); n > 0 {
		l.done.Add(uint64(n))
	}
	return err
}

// countAnswers checks, counts and records the answers polled.
func (l *loader) countAnswers() {
	for i := range l.answers {
		a := &l.answers[i]
		if l.fills.on && a.Cookie&isFill > 0 {
			l.endRun()
			l.countFill(a)
			continue
		}
		if l.run.n == 0 || a.ReceivedNs != l.run.receivedNs ||
			a.SentNs != l.run.sentNs || a.IntendedNs != l.run.intendedNs ||
			a.Cookie&inQuota != l.run.quota {
			l.endRun()
			l.beginRun(a)
		}
		l.run.n++
		if l.quota != nil { // without one, the bit would be a damaged cookie
			a.Cookie &^= inQuota
		}
		written := l.writes.on && a.Cookie&setFollows > 0
		if written {
			a.Cookie &^= setFollows
			l.writes.push(cookieKey(a.Cookie), a.ReceivedNs)
		}
		kind := l.judge(a, l.run.tally)
		l.run.kinds[kind]++
		if l.play != nil {
			l.follow(a, kind, l.run.tally)
		}
		if kind == getMiss && l.fills.on && !written {
			l.missed(cookieKey(a.Cookie), a.ReceivedNs)
		}
	}
	l.endRun()
}

// follow compares an answer with what is known of its key. Where a transport sent requests again,
// answers may come in another order, and the thread compares no more.
func (l *loader) follow(a *kvs.Answer, kind opKind, sum *tally) {
	keys := &l.cfg.replay.keys
	k := keys.Of(cookieKey(a.Cookie))
	if k == nil || l.unordered {
		return
	}
	found := keys.Answer(k, a, cookieOp(a.Cookie), kind == noKind)
	switch {
	case found == follow.Compared:
		sum.compared++
	case found < follow.Gone:
	case l.traffic().Retries > 0:
		l.unordered = true
	case found == follow.Gone && !keys.Strict:
		sum.gone++
		l.example(a, &l.gone, found.String())
	default:
		l.wrong(a, sum, found.String())
	}
}

// beginRun decides which period the answers belong to. In an open loop that is the time at which
// they were due: answers to a backlog of the warm-up tell nothing of the measurement period.
func (l *loader) beginRun(a *kvs.Answer) {
	l.run = run{
		intendedNs: a.IntendedNs, sentNs: a.SentNs, receivedNs: a.ReceivedNs,
		atNs: a.ReceivedNs, tally: &l.outside, quota: a.Cookie & inQuota,
	}
	if l.cfg.OpenLoop() {
		l.run.atNs = a.IntendedNs
	}
	l.run.record = l.period.holds(l.run.atNs) && (l.quota == nil || l.run.quota > 0)
	l.run.late = l.run.record && a.ReceivedNs >= l.period.toNs
	if l.run.record && !l.run.late {
		l.run.tally = &l.inside
	}
}

func (l *loader) endRun() {
	r := &l.run
	if r.n == 0 {
		return
	}
	if r.record {
		l.rec.record(r.atNs, r.receivedNs-r.intendedNs, r.receivedNs-r.sentNs, &r.kinds)
	}
	if r.late {
		l.late += uint64(r.n)
	}
	if l.quota != nil {
		if r.record {
			l.quota.Answered(r.n, r.receivedNs)
			l.answeredIn += uint64(r.n)
		}
	} else if l.period.holds(r.receivedNs) {
		l.answeredIn += uint64(r.n)
	} else if r.sentNs < l.period.toNs && r.receivedNs >= l.period.toNs && !l.cfg.OpenLoop() {
		l.left = append(l.left, aged{l.period.toNs - r.sentNs, r.n})
	}
	r.n = 0
}

// sendFills submits the fills that are due, unless a request of the load waits for room: that goes
// first. It returns false if the session has no room for a fill.
func (l *loader) sendFills(nowNs int64) (room bool, err error) {
	f := &l.fills
	for f.pending || !l.pending && f.dueNs() <= nowNs {
		if !f.pending {
			next := f.pop()
			l.fill(next.key)
			l.cookie |= isFill
			l.req.IntendedNs = next.dueNs
			f.pending = true
		}
		taken, err := l.submit()
		if err != nil || !taken {
			return false, err
		}
		f.pending = false
		l.submitted++
		l.sinceOpen++
		l.schedule.unflushed = true
	}
	return true, nil
}

// missed has a key filled that a GET missed, if it is known what to store: a trace may not have
// told the size of its value.
func (l *loader) missed(key uint64, nowNs int64) {
	if l.play != nil && l.cfg.replay.items[key].value() == 0 {
		l.run.tally.sizeless++
		return
	}
	l.fills.push(key, nowNs)
}

// fill makes the next request: a SET of a key that a GET missed. The value of a trace's key is as
// large as it last was, and lives as long.
func (l *loader) fill(key uint64) {
	if l.play != nil {
		item := l.cfg.replay.items[key]
		ttl, _ := l.cfg.replay.ttl(item.ttl())
		l.prepareSized(kvs.Set, key, item.key())
		l.valueSized(key, item.value(), ttl)
		return
	}
	l.prepare(kvs.Set, key)
	l.value(key, l.nextVersion(key))
}

// countFill checks, counts and records the answer to a fill. In an open loop its latency counts
// from the time at which it was due.
func (l *loader) countFill(a *kvs.Answer) {
	a.Cookie &^= isFill
	kind := l.judge(a, &l.outside)
	if l.play != nil {
		l.follow(a, kind, &l.outside)
	}
	if kind != setDone {
		return
	}
	atNs, fromNs := a.ReceivedNs, a.SentNs
	if l.cfg.OpenLoop() {
		atNs, fromNs = a.IntendedNs, a.IntendedNs
	}
	if l.period.holds(atNs) {
		l.fills.answered++
		l.rec.recordFill(atNs, a.ReceivedNs-fromNs)
	}
}

// finish ends the load. Operations due in the measurement period that were not sent by its end
// count with their age at that time.
func (l *loader) finish() error {
	if err := l.drain(); err != nil {
		return err
	}
	l.eachUnsent(func(intendedNs int64, n uint64) {
		l.rec.recordUnsent(intendedNs, l.cutNs-intendedNs, int64(n))
	})
	l.finished = true
	return nil
}

// drain waits for the outstanding answers after the load.
func (l *loader) drain() error {
	for l.ages.total > 0 {
		if err := l.alive(l.now()); err != nil {
			return err
		}
		if err := l.flush(); err != nil {
			return err
		}
		if err := l.receive(maxWait); err != nil {
			return err
		}
	}
	return nil
}
