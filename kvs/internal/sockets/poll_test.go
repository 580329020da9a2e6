package sockets

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestPolledSession: a session that polls waits as long as it may, counts the time as spun, and
// takes an answer whenever it comes: on one connection, on several, and behind TLS.
func TestPolledSession(t *testing.T) {
	for _, way := range peers {
		for _, connections := range []int{1, 3} {
			opts := kvs.SessionOptions{Batch: 1, Window: 1, Connections: connections, Wait: kvs.WaitPoll}
			s := dialEchoSession(t, way.listen(t, echo), 1, opts)
			if s.Waits() != kvs.WaitPoll {
				t.Errorf("%s: it waits by %q", way.transport, s.Waits())
			}
			begun := time.Now()
			answers, err := s.Poll(nil, time.Millisecond)
			if took := time.Since(begun); err != nil || len(answers) != 0 || took < time.Millisecond {
				t.Errorf("%s: %d answers after %v, %v", way.transport, len(answers), took, err)
			}
			spun := s.Traffic().SpunNs
			if spun == 0 {
				t.Errorf("%s: it spun for a millisecond, and counts nothing", way.transport)
			}
			for n := range 20 {
				s.submit(t, []byte("a request"))
				for answers = nil; len(answers) == 0; {
					answers = must.Get(s.Poll(nil, 20*time.Millisecond))(t)
				}
				if len(answers) != 1 || s.InFlight() != 0 {
					t.Fatalf("%s: request %d got %d answers", way.transport, n, len(answers))
				}
			}
		}
	}
}

// TestUnknownWait: a way of waiting that there is not is refused.
func TestUnknownWait(t *testing.T) {
	var s Session[*echoConn]
	must.Fail(t, s.Init(kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1, Wait: "nap"}, 8),
		`client_wait: found "nap", allowed: sleep, poll`)
}
