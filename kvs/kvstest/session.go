package kvstest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// answers checks that each request gets one answer, with its own operation, cookie and intended
// time. Cookies may have any bits.
func (e *env) answers() {
	s := e.open(kvs.SessionOptions{Batch: 8, Window: 3, Connections: 2})
	want := map[uint64]kvs.Request{}
	asked, answered := 0, 0
	take := func(list []kvs.Answer) {
		for i := range list {
			a := &list[i]
			r, there := want[a.Cookie]
			if !there {
				e.Fatalf("answer with cookie %#x: nobody waits for it", a.Cookie)
			}
			delete(want, a.Cookie)
			if a.Op != r.Op || a.IntendedNs != r.IntendedNs {
				e.Fatalf("answer: found %s due at %d, want %s due at %d", a.Op, a.IntendedNs, r.Op,
					r.IntendedNs)
			}
			answered++
		}
	}
	for asked < 2000 {
		r := kvs.Request{
			Op: kvs.Set, Key: fmt.Appendf(nil, "answers %d", asked), Value: []byte("v"),
			Cookie: uint64(asked+1) * 0x9e3779b97f4a7c15, IntendedNs: int64(asked + 1),
		}
		if asked%2 == 1 {
			r.Op, r.Value = kvs.Get, nil
		}
		if !e.offer(s, r) {
			take(e.poll(s, 50*time.Millisecond))
			continue
		}
		want[r.Cookie] = r
		asked++
	}
	take(e.drain(s, asked-answered))
	e.quiet(s)
}

// quiet checks that nothing is in flight, and that no further answer comes.
func (e *env) quiet(s kvs.Session) {
	e.Helper()
	if n := s.InFlight(); n != 0 {
		e.Errorf("in flight: found %d, want 0 after all answers", n)
	}
	if more := e.poll(s, 5*time.Millisecond); len(more) > 0 {
		e.Errorf("found %d further answers, the first with cookie %#x", len(more), more[0].Cookie)
	}
}

func (e *env) flushed(s kvs.Session) {
	e.Helper()
	must.Do(e, s.Flush())
}

// batch checks that full batches leave as one unit each, without a call of Flush.
func (e *env) batch() {
	const batch, batches = 8, 12
	s := e.open(kvs.SessionOptions{Batch: batch, Window: 2, Connections: 1})
	before := s.Traffic().Frames
	for range batches {
		for range batch { // one key has one destination
			e.submit(s, kvs.Request{Op: kvs.Get, Key: []byte("one key")})
		}
		e.collect(s, batch)
	}
	if got := s.Traffic().Frames - before; got != batches {
		e.Errorf("batches sent: found %d, want %d of %d operations", got, batches, batch)
	}
}

// window checks that a session keeps as many batches in flight, on as many connections, as it was
// asked to: neither fewer nor more. The server's counters say what it got, while nobody polls for
// answers.
func (e *env) window() {
	for _, o := range []kvs.SessionOptions{
		{Batch: 8, Window: 1, Connections: 1},
		{Batch: 8, Window: 4, Connections: 1},
		{Batch: 4, Window: 2, Connections: 3},
	} {
		e.fill(o)
	}
}

func (e *env) fill(o kvs.SessionOptions) {
	s := e.open(o)
	destinations := o.Connections * e.facts.Workers
	window := destinations * o.Window * o.Batch
	before := e.ops()
	taken := e.fillsUp(s)
	if in := s.InFlight(); in != taken {
		e.Errorf("%+v: in flight: found %d, want %d, the requests submitted", o, in, taken)
	}
	// Each destination may have a batch that waits.
	if most := window + destinations*o.Batch; taken < window || taken > most {
		e.Errorf("%+v: the session took %d requests, want %d to %d", o, taken, window, most)
	}
	e.flushed(s)
	got := e.opsReach(before, window)
	if got != window {
		e.Errorf("%+v: the server got %d requests before any answer was taken, want %d", o, got,
			window)
	}
	e.drain(s, taken)
	e.quiet(s)
}

// fillsUp submits GETs of absent keys until every destination refuses.
func (e *env) fillsUp(s kvs.Session) (taken int) {
	const enough = 512 // refusals in a row
	for key, refused := 0, 0; refused < enough; key++ {
		if e.offer(s, kvs.Request{Op: kvs.Get, Key: fmt.Appendf(nil, "absent %d", key)}) {
			taken, refused = taken+1, 0
		} else {
			refused++
		}
	}
	return taken
}

// opsReach waits until the server has executed n operations since before, or until it executes no
// more. It returns their number.
func (e *env) opsReach(before, n int) (got int) {
	begun := time.Now()
	for changed := begun; time.Since(begun) < e.limits.Timeout; time.Sleep(2 * time.Millisecond) {
		now := e.ops() - before
		if now != got {
			got, changed = now, time.Now()
		}
		still := time.Since(changed)
		if got >= n && still > 25*time.Millisecond || still > time.Second {
			break
		}
	}
	return got
}

// refusal checks that a request which the session refused is not executed.
func (e *env) refusal() {
	s := e.open(kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1})
	key := []byte("refused")
	e.do(s, []kvs.Request{{Op: kvs.Delete, Key: key}})
	taken := 0
	for e.offer(s, kvs.Request{Op: kvs.Get, Key: key}) {
		taken++
	}
	if e.offer(s, kvs.Request{Op: kvs.Set, Key: key, Value: key}) {
		taken++ // an answer came meanwhile
		key = nil
	}
	e.drain(s, taken)
	e.quiet(s)
	if key == nil {
		return
	}
	if a := e.do(s, []kvs.Request{{Op: kvs.Get, Key: key}}); a[0].Status != kvs.NotFound {
		e.Errorf("a refused SET was executed: the GET says %s", a[0].Status)
	}
}

// flush checks that Flush sends a batch that is not full.
func (e *env) flush() {
	s := e.open(kvs.SessionOptions{Batch: 8, Window: 2, Connections: 2})
	for i := range 20 {
		e.submit(s, kvs.Request{Op: kvs.Get, Key: fmt.Appendf(nil, "flush %d", i)})
		e.flushed(s)
		e.collect(s, 1)
	}
}

// clocks checks the three times of an answer. They are of the clock [kvs.NowNs]. The time of the
// actual send is that of the batch, not of Submit.
func (e *env) clocks() {
	s := e.open(kvs.SessionOptions{Batch: 8, Window: 1, Connections: 1})
	for range 5 {
		intended := kvs.NowNs()
		e.submit(s, kvs.Request{Op: kvs.Get, Key: []byte("clocks"), IntendedNs: intended})
		time.Sleep(2 * time.Millisecond)
		flushed := kvs.NowNs()
		e.flushed(s)
		a := e.collect(s, 1)[0]
		now := kvs.NowNs()
		switch {
		case a.IntendedNs != intended:
			e.Errorf("intended time: found %d, want %d", a.IntendedNs, intended)
		case a.SentNs < flushed:
			e.Errorf("sent time: found %d ns before the batch was flushed", flushed-a.SentNs)
		case a.ReceivedNs < a.SentNs:
			e.Errorf("received time: found %d ns before the sent time", a.SentNs-a.ReceivedNs)
		case a.ReceivedNs > now:
			e.Errorf("received time: found %d ns in the future", a.ReceivedNs-now)
		}
	}
}

// copies checks that a session copies keys and values before Submit returns.
func (e *env) copies() {
	s := e.open(kvs.SessionOptions{Batch: 16, Window: 1, Connections: 1})
	key, value := make([]byte, 8), make([]byte, 40)
	const n = 16
	for i := range n {
		copy(key, fmt.Sprintf("copy %03d", i))
		copy(value, strings.Repeat(fmt.Sprint(i%10), len(value)))
		e.submit(s, kvs.Request{Op: kvs.Set, Key: key, Value: value})
	}
	copy(key, "spoiled!")
	copy(value, strings.Repeat("!", len(value)))
	e.flushed(s)
	e.collect(s, n)
	var gets []kvs.Request
	for i := range n {
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: fmt.Appendf(nil, "copy %03d", i)})
	}
	for i, a := range e.do(s, gets) {
		if want := strings.Repeat(fmt.Sprint(i%10), len(value)); string(a.Value) != want {
			e.Fatalf("key %d: found %s %.20q, want %.20q", i, a.Status, a.Value, want)
		}
	}
}

// lastingValues checks that the values of one call of Poll last until the next call, and that Poll
// appends to the answers it is given.
func (e *env) lastingValues() {
	const n = 32
	s := e.open(kvs.SessionOptions{Batch: n, Window: 1, Connections: 1})
	var sets []kvs.Request
	for i := range n {
		key := fmt.Appendf(nil, "lasting %d", i)
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: key, Value: bytes.Repeat(key, 1+i%4)})
	}
	e.do(s, sets)
	for i := range sets {
		e.submit(s, kvs.Request{Op: kvs.Get, Key: sets[i].Key, Cookie: uint64(i)})
	}
	e.flushed(s)
	first := kvs.Answer{Cookie: 1 << 40}
	for got, end := 0, time.Now().Add(e.limits.Timeout); got < n; {
		answers, err := s.Poll([]kvs.Answer{first}, 50*time.Millisecond)
		switch {
		case err != nil:
			e.Fatal(err)
		case len(answers) == 0 || answers[0].Cookie != first.Cookie:
			e.Fatalf("Poll does not append to the answers it is given")
		case time.Now().After(end):
			e.Fatalf("answers: found %d, want %d", got, n)
		}
		for _, a := range answers[1:] {
			if want := sets[a.Cookie].Value; !bytes.Equal(a.Value, want) {
				e.Fatalf("GET %d: found %.40q, want %.40q", a.Cookie, a.Value, want)
			}
		}
		got += len(answers) - 1
	}
}

// idle checks a session with nothing to do.
func (e *env) idle() {
	s := e.open(kvs.SessionOptions{Batch: 8, Window: 2, Connections: 2})
	for range 3 {
		e.flushed(s)
		if got := e.poll(s, 0); len(got) > 0 {
			e.Errorf("found %d answers, and nothing was asked", len(got))
		}
		e.quiet(s)
	}
}

// twoSessions checks that two sessions in two goroutines get their own answers, while a third one
// reads the counters that any goroutine may read.
func (e *env) twoSessions() {
	const n = 500
	opts := kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1}
	sessions := []kvs.Session{e.open(opts), e.open(opts)}
	done := make(chan error, len(sessions))
	for i, s := range sessions {
		go func() { done <- e.ownAnswers(s, fmt.Sprintf("session %d", i), n) }()
	}
	for left := len(sessions); left > 0; {
		select {
		case err := <-done:
			if left--; err != nil {
				e.Error(err)
			}
		case <-time.After(time.Millisecond):
			sessions[0].Moved()
			e.remote.Moved()
			e.ops()
		}
	}
}

// ownAnswers sets a key and gets it, again and again, with a value of its own.
func (e *env) ownAnswers(s kvs.Session, name string, n int) error {
	var answers []kvs.Answer
	end := time.Now().Add(e.limits.Timeout)
	for i := range n {
		value := fmt.Appendf(nil, "%s %d", name, i/2)
		r := kvs.Request{Op: kvs.Set, Key: []byte(name), Value: value, Cookie: uint64(i)}
		if i%2 == 1 {
			r.Op = kvs.Get
		}
		if e.hash != nil {
			r.Hash = e.hash(r.Key)
		}
		if ok, err := s.Submit(&r); err != nil || !ok {
			return fmt.Errorf("%s: operation %d: taken %v, %w", name, i, ok, err)
		}
		for answers = answers[:0]; len(answers) == 0; {
			err := s.Flush()
			if err == nil {
				answers, err = s.Poll(answers, 50*time.Millisecond)
			}
			if err != nil {
				return err
			}
			if time.Now().After(end) {
				return fmt.Errorf("%s: operation %d: no answer", name, i)
			}
		}
		a := &answers[0]
		right := r.Op != kvs.Get || bytes.Equal(a.Value, value)
		if len(answers) > 1 || a.Cookie != r.Cookie || !right {
			return fmt.Errorf("%s: operation %d: found %d answers, the first with cookie %d and "+
				"%.40q, want %.40q", name, i, len(answers), a.Cookie, a.Value, value)
		}
	}
	return nil
}

// close checks that Close ends a session with requests in flight, and leaves no goroutine and no
// descriptor behind.
func (e *env) close() {
	goroutines, descriptors := runtime.NumGoroutine(), openDescriptors()
	for range 3 {
		s := must.Get(e.remote.Open(kvs.SessionOptions{Batch: 4, Window: 2, Connections: 2}))(e)
		for i := range 6 {
			e.submit(s, kvs.Request{Op: kvs.Get, Key: fmt.Appendf(nil, "close %d", i)})
		}
		if err := s.Close(); err != nil {
			e.Errorf("close: %v", err)
		}
	}
	e.reach("goroutines", runtime.NumGoroutine, goroutines)
	e.reach("descriptors", openDescriptors, descriptors)
}

// reach waits until a number has fallen to a limit: the server may run in this process, and takes
// notice of a closed session a little later.
func (e *env) reach(what string, count func() int, limit int) {
	e.Helper()
	for end := time.Now().Add(e.limits.Timeout); count() > limit; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			e.Errorf("%s: found %d after three sessions were closed, want %d", what, count(), limit)
			return
		}
	}
}

func openDescriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// serverEnds ends the server while requests are in flight. A session over TCP must return an error.
// Another one may notice nothing: its client has a time limit for answers.
func (e *env) serverEnds(server kvs.Server) {
	s := e.open(kvs.SessionOptions{Batch: 4, Window: 2, Connections: 1})
	e.do(s, []kvs.Request{{Op: kvs.Get, Key: []byte("before")}})
	must.Do(e, server.Close())
	err := e.untilError(s)
	if err == nil && strings.HasPrefix(e.facts.Transport, "tcp") {
		e.Errorf("no error came within %v after the server had ended", e.limits.Timeout)
	}
}

// untilError submits and polls until an error comes.
func (e *env) untilError(s kvs.Session) error {
	r := kvs.Request{Op: kvs.Get, Key: []byte("after")}
	if e.hash != nil {
		r.Hash = e.hash(r.Key)
	}
	for end := time.Now().Add(e.limits.Timeout); time.Now().Before(end); {
		_, err := s.Submit(&r)
		_, polled := s.Poll(nil, 20*time.Millisecond)
		if err = errors.Join(err, s.Flush(), polled); err != nil {
			return err
		}
		if !strings.HasPrefix(e.facts.Transport, "tcp") && s.InFlight() > 4 {
			return nil
		}
	}
	return nil
}
