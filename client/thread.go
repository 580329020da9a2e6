package client

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/load"
)

const (
	// maxWait bounds every wait for answers, so that a thread soon notices the end of the run.
	maxWait = 20 * time.Millisecond
	// burst bounds the operations between two polls for answers.
	burst = 1024
	// maxExamples is the number of wrong answers that a thread keeps in words.
	maxExamples = 3
)

// errStopped is the error of a thread that ended because of another cause than its own.
var errStopped = errors.New("stopped")

// thread is one thread of load. While a phase runs, only its own goroutine uses it, except
// the atomic fields and what moved reads.
type thread struct {
	id       int
	cpu      int // -1: not pinned
	cfg      *Config
	server   string        // its name in errors
	stop     *atomic.Bool  // the run is over
	done     atomic.Uint64 // keys of a pass, or answers to the load
	failures atomic.Uint64 // wrong answers and failed operations
	now      func() int64  // the monotonic clock
	work     work          // of Load.Compute; nil: none

	remote  kvs.Remote
	session kvs.Session
	// swapping is held where another session takes the session's place. These are of those before:
	swapping      sync.Mutex
	movedBefore   kvs.Moved
	trafficBefore kvs.Traffic

	req     kvs.Request
	keys    load.Keys
	number  []byte // the part of req.Key that is the key's number
	values  load.Values
	room    []byte // for the largest value
	cookie  cookie // of req, less its age class
	version uint32 // of the last SET
	own     versions
	pending bool // req is made and not submitted yet
	answers []kvs.Answer
	ages    ages

	examples []string
	// gone are examples of keys that evictions may explain.
	gone []string
}

// tally counts answers.
type tally struct {
	answered     uint64
	gets         uint64 // answered OK or not found
	hits, misses uint64
	hitBytes     uint64 // of the values of the hits
	compared     uint64 // hits that are no older than a SET of the thread
	gone         uint64 // of a trace: keys not found that were there, unless evicted
	sizeless     uint64 // misses that no fill can answer, as no size is known
	full         uint64 // SETs refused for want of room, also in errors
	errors       uint64
}

func (sum *tally) add(o tally) {
	sum.answered += o.answered
	sum.gets += o.gets
	sum.hits += o.hits
	sum.misses += o.misses
	sum.hitBytes += o.hitBytes
	sum.compared += o.compared
	sum.gone += o.gone
	sum.sizeless += o.sizeless
	sum.full += o.full
	sum.errors += o.errors
}

func newThread(id int, cfg *Config, server string, stop *atomic.Bool) *thread {
	values, keys := load.NewValues(&cfg.Workload), load.NewKeys(&cfg.Workload)
	key, number := keys.Buffers(0)
	if cfg.replay != nil {
		key = make([]byte, cfg.longestKey())
	}
	return &thread{
		id:     id,
		cpu:    cfg.cpuOf(id),
		cfg:    cfg,
		server: server,
		stop:   stop,
		now:    cpu.NowNs,
		req:    kvs.Request{Key: key, TTL: cfg.TTL},
		keys:   keys,
		number: number,
		values: values,
		room:   make([]byte, cfg.largestValue()),
		// Versions step by the number of all clients' threads. So no two SETs of a run have the
		// same version (for the first 2³² SETs).
		version: uint32(cfg.FirstThread + id + 1 - cfg.AllThreads),
		own:     newVersions(cfg, id),
	}
}

// serve is a thread's goroutine. It never unlocks its thread, so the thread ends with it. No other
// goroutine inherits the thread's settings.
func (t *thread) serve(jobs <-chan job, done chan<- error) {
	err := t.lock()
	for do := range jobs {
		if err == nil {
			err = do(t)
		}
		done <- err
	}
	done <- t.close()
}

func (t *thread) lock() error {
	runtime.LockOSThread()
	if t.cpu >= 0 {
		if err := cpu.PinThread(t.cpu); err != nil {
			return fmt.Errorf("thread %d: %w", t.id, err)
		}
	}
	if t.cfg.OpenLoop() {
		// By default the kernel may wake a sleeper 50 µs late, to save wake-ups.
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("thread %d: set the timer slack: %w", t.id, err)
		}
	}
	return nil
}

// prepare makes the next request.
func (t *thread) prepare(op kvs.Op, key uint64) {
	t.describe(op, key)
	t.hash()
}

// hash hashes the request's key, and does nothing else: hashProfile recognizes hashing by it.
func (t *thread) hash() {
	if sum := t.cfg.hash.Sum64; sum != nil {
		t.req.Hash = sum(t.req.Key)
	}
}

// describe makes the next request without its hash.
func (t *thread) describe(op kvs.Op, key uint64) {
	if !t.keys.OneSize() {
		t.req.Key, t.number = t.keys.Buffers(key)
	}
	load.FillKey(t.number, key)
	t.req.Op = op
	t.cookie = newCookie(key, op)
	t.pending = true
}

// value gives the request the key's value in a version.
func (t *thread) value(key uint64, version uint32) {
	t.req.Value = t.values.Fill(t.room, key, version)
}

// prepareSized makes the next request, of a key that has a size of its own.
func (t *thread) prepareSized(op kvs.Op, key uint64, bytes int) {
	t.req.Key = t.req.Key[:bytes]
	load.FillKey(t.req.Key, key)
	t.req.Op, t.req.Value = op, nil
	t.cookie, t.pending = newCookie(key, op), true
	t.hash()
}

// valueSized gives the request a value whose version tells its size and the number of the key's
// SET, and its time to live.
func (t *thread) valueSized(key uint64, bytes int, ttl time.Duration) {
	t.req.TTL = ttl
	t.req.Value = t.room[:bytes]
	number := t.cfg.replay.keys.Sends(key, ttl, t.now)
	load.FillValue(t.req.Value, key, load.SizedVersion(number, bytes))
}

// nextVersion returns a version for a SET of a key, which no other SET of this run has. The preload
// has version 0.
func (t *thread) nextVersion(key uint64) uint32 {
	t.version += uint32(t.cfg.AllThreads)
	if t.own.tracks(key) {
		t.own.sends(key, t.version)
	}
	return t.version
}

// submit offers the prepared request to the session. It returns false if the session has no room
// now.
func (t *thread) submit() (bool, error) {
	t.req.Cookie = t.cookie | t.ages.tag()
	taken, err := t.session.Submit(&t.req)
	if err != nil {
		return false, t.sessionError(err)
	}
	if taken {
		t.pending = false
		t.ages.sent()
	}
	return taken, nil
}

func (t *thread) flush() error {
	if err := t.session.Flush(); err != nil {
		return t.sessionError(err)
	}
	return nil
}

// poll fetches answers into t.answers.
func (t *thread) poll(wait time.Duration) (err error) {
	if t.answers, err = t.session.Poll(t.answers[:0], wait); err != nil {
		return t.sessionError(err)
	}
	return nil
}

// alive does the duties of every turn of a thread's loop. It ends with the run, and when an answer
// is overdue. It also sends a batch that does not fill, after a part of the time-out, so that the
// batch is not taken for lost.
func (t *thread) alive(nowNs int64) error {
	if t.stop.Load() {
		return errStopped
	}
	moved, timedOut := t.ages.advance(nowNs)
	if timedOut > 0 {
		return &timeoutError{t.id, t.server, t.cfg.Timeout, timedOut, t.ages.total}
	}
	if moved {
		return t.flush()
	}
	return nil
}

// judge checks one answer and counts it. Wrong answers have no kind.
func (t *thread) judge(a *kvs.Answer, sum *tally) opKind {
	sum.answered++
	op := cookieOp(a.Cookie)
	switch {
	case !t.ages.answered(a.Cookie) || a.Op != op:
		t.wrong(a, sum, "no operation in flight asked for it")
	case len(a.Value) > 0 && (op != kvs.Get || a.Status != kvs.OK):
		t.wrong(a, sum, "only a GET that finds its key has a value")
	case op == kvs.Add && (a.Status == kvs.OK || a.Status == kvs.Exists):
		return setDone
	case op == kvs.Delete && (a.Status == kvs.OK || a.Status == kvs.NotFound):
		return deleteDone
	case op == kvs.Set && a.Status == kvs.OK:
		if key := cookieKey(a.Cookie); t.own.tracks(key) {
			t.own.stored(key, a)
		}
		return setDone
	case op == kvs.Get && a.Status == kvs.OK:
		sum.gets++
		key := cookieKey(a.Cookie)
		if !t.checks(a.Value, key) {
			t.wrong(a, sum, "the value does not belong to this key")
			return noKind
		}
		if t.own.tracks(key) {
			stale, known := t.own.stale(key, a)
			if stale {
				t.wrong(a, sum, "the value is older than a SET that the server had confirmed: the "+
					"SET is lost, or another load writes these keys")
				return noKind
			}
			if known {
				sum.compared++
			}
		}
		sum.hits++
		sum.hitBytes += uint64(len(a.Value))
		return getHit
	case op == kvs.Get && a.Status == kvs.NotFound:
		sum.gets++
		sum.misses++
		return getMiss
	default:
		if a.Status == kvs.Full {
			sum.full++
		}
		t.wrong(a, sum, "the operation failed")
	}
	return noKind
}

// checks reports whether a value belongs to a key, in full.
func (t *thread) checks(value []byte, key uint64) bool {
	if t.cfg.replay != nil {
		return load.CheckSized(value, key)
	}
	return t.values.Check(value, key)
}

// wrong counts an error and keeps the first few in words.
func (t *thread) wrong(a *kvs.Answer, sum *tally, why string) {
	sum.errors++
	t.failures.Add(1)
	t.example(a, &t.examples, why)
}

// example keeps an answer in words, if it is one of the first few.
func (t *thread) example(a *kvs.Answer, list *[]string, why string) {
	if len(*list) < maxExamples {
		*list = append(*list,
			fmt.Sprintf("thread %d: %v of key %d got the answer %q with %d bytes %.16x: %s",
				t.id, a.Op, cookieKey(a.Cookie), a.Status, len(a.Value), a.Value, why))
	}
}

// sessionError adds the thread and the server to an error.
func (t *thread) sessionError(err error) error {
	return fmt.Errorf("thread %d: %s: %w", t.id, t.server, err)
}

// timeoutError ends a run in which answers are overdue.
type timeoutError struct {
	thread      int
	server      string
	timeout     time.Duration
	timedOut    int // operations that got no answer in time
	outstanding int // operations without an answer, these included
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("thread %d: %s: %d operations got no answer within %v, of %d in flight: "+
		"check that the server runs and can be reached, or allow a longer timeout",
		e.thread, e.server, e.timedOut, e.timeout, e.outstanding)
}
