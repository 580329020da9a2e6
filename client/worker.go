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
	// maxWait bounds every wait for answers, so that a worker soon notices the end of the run.
	maxWait = 20 * time.Millisecond
	// burst bounds the operations between two polls for answers.
	burst = 1024
	// maxExamples is the number of wrong answers that a worker keeps in words.
	maxExamples = 3
)

// errStopped is the error of a worker that ended because of another cause than its own.
var errStopped = errors.New("stopped")

// worker is one thread of load. While a phase runs, only its own goroutine uses it, except
// the atomic fields and what moved reads.
type worker struct {
	id       int
	cpu      int // -1: not pinned
	cfg      *Config
	server   string       // its name in errors
	stop     *atomic.Bool // the run is over
	done     atomic.Uint64
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
	number  []byte // the part of req.Key that is the key's number
	values  load.Values
	room    []byte // for the largest value
	cookie  cookie // of req, less its age class
	version uint32 // of the last SET
	pending bool   // req is made and not submitted yet
	answers []kvs.Answer
	ages    ages

	examples []string
}

// tally counts answers.
type tally struct {
	answered     uint64
	gets         uint64 // answered OK or not found
	hits, misses uint64
	hitBytes     uint64 // of the values of the hits
	full         uint64 // SETs refused for want of room, also in errors
	errors       uint64
}

func (t *tally) add(o tally) {
	t.answered += o.answered
	t.gets += o.gets
	t.hits += o.hits
	t.misses += o.misses
	t.hitBytes += o.hitBytes
	t.full += o.full
	t.errors += o.errors
}

func newWorker(id int, cfg *Config, server string, stop *atomic.Bool) *worker {
	values := load.NewValues(&cfg.Workload)
	key, number := cfg.NewKey()
	return &worker{
		id:     id,
		cpu:    cfg.cpuOf(id),
		cfg:    cfg,
		server: server,
		stop:   stop,
		now:    cpu.NowNs,
		req:    kvs.Request{Key: key},
		number: number,
		values: values,
		room:   make([]byte, values.MaxBytes()),
		// Versions step by the number of all clients' threads. So no two SETs of a run have the
		// same version (for the first 2³² SETs).
		version: uint32(cfg.FirstThread + id + 1 - cfg.AllThreads),
	}
}

// serve is a worker's goroutine. It never unlocks its thread, so the thread ends with it. No other
// goroutine inherits the thread's settings.
func (w *worker) serve(jobs <-chan job, done chan<- error) {
	err := w.takeThread()
	for do := range jobs {
		if err == nil {
			err = do(w)
		}
		done <- err
	}
	done <- w.close()
}

func (w *worker) takeThread() error {
	runtime.LockOSThread()
	if w.cpu >= 0 {
		if err := cpu.PinThread(w.cpu); err != nil {
			return fmt.Errorf("thread %d: %w", w.id, err)
		}
	}
	if w.cfg.OpenLoop() {
		// By default the kernel may wake a sleeper 50 µs late, to save wake-ups.
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("thread %d: set the timer slack: %w", w.id, err)
		}
	}
	return nil
}

// prepare makes the next request.
func (w *worker) prepare(op kvs.Op, key uint64) {
	w.describe(op, key)
	w.hash()
}

// hash hashes the request's key, and does nothing else: hashProfile recognizes hashing by it.
func (w *worker) hash() {
	if sum := w.cfg.hash.Sum64; sum != nil {
		w.req.Hash = sum(w.req.Key)
	}
}

// describe makes the next request without its hash.
func (w *worker) describe(op kvs.Op, key uint64) {
	load.FillKey(w.number, key)
	w.req.Op = op
	w.cookie = newCookie(key, op)
	w.pending = true
}

// value gives the request the key's value in a version.
func (w *worker) value(key uint64, version uint32) {
	w.req.Value = w.values.Fill(w.room, key, version)
}

// nextVersion returns a version that no other SET of this run has. The preload has version 0.
func (w *worker) nextVersion() uint32 {
	w.version += uint32(w.cfg.AllThreads)
	return w.version
}

// submit offers the prepared request to the session. It returns false if the session has no room
// now.
func (w *worker) submit() (bool, error) {
	w.req.Cookie = w.cookie | w.ages.tag()
	taken, err := w.session.Submit(&w.req)
	if err != nil {
		return false, w.sessionError(err)
	}
	if taken {
		w.pending = false
		w.ages.sent()
	}
	return taken, nil
}

func (w *worker) flush() error {
	if err := w.session.Flush(); err != nil {
		return w.sessionError(err)
	}
	return nil
}

// poll fetches answers into w.answers.
func (w *worker) poll(wait time.Duration) (err error) {
	if w.answers, err = w.session.Poll(w.answers[:0], wait); err != nil {
		return w.sessionError(err)
	}
	return nil
}

// alive does the duties of every turn of a worker's loop. It ends with the run, and when an answer
// is overdue. It also sends a batch that does not fill, after a part of the time-out, so that the
// batch is not taken for lost.
func (w *worker) alive(nowNs int64) error {
	if w.stop.Load() {
		return errStopped
	}
	moved, timedOut := w.ages.advance(nowNs)
	if timedOut > 0 {
		return &timeoutError{w.id, w.server, w.cfg.Timeout, timedOut, w.ages.total}
	}
	if moved {
		return w.flush()
	}
	return nil
}

// judge checks one answer and counts it.
func (w *worker) judge(a *kvs.Answer, t *tally) {
	t.answered++
	op := cookieOp(a.Cookie)
	switch {
	case !w.ages.answered(a.Cookie) || a.Op != op:
		w.wrong(a, t, "no operation in flight asked for it")
	case op == kvs.Set && a.Status == kvs.OK:
	case op == kvs.Get && a.Status == kvs.OK:
		t.gets++
		if !w.values.Check(a.Value, cookieKey(a.Cookie)) {
			w.wrong(a, t, "the value does not belong to this key")
			return
		}
		t.hits++
		t.hitBytes += uint64(len(a.Value))
	case op == kvs.Get && a.Status == kvs.NotFound:
		t.gets++
		t.misses++
	default:
		if a.Status == kvs.Full {
			t.full++
		}
		w.wrong(a, t, "the operation failed")
	}
}

// wrong counts an error and keeps the first few in words.
func (w *worker) wrong(a *kvs.Answer, t *tally, why string) {
	t.errors++
	w.failures.Add(1)
	if len(w.examples) < maxExamples {
		w.examples = append(w.examples,
			fmt.Sprintf("thread %d: %v of key %d got the answer %q with %d bytes %.16x: %s",
				w.id, a.Op, cookieKey(a.Cookie), a.Status, len(a.Value), a.Value, why))
	}
}

// sessionError adds the thread and the server to an error.
func (w *worker) sessionError(err error) error {
	return fmt.Errorf("thread %d: %s: %w", w.id, w.server, err)
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
