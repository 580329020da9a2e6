package sockets

import (
	"errors"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// echoLink is a link with some slots whose peer answers a message with the message, after some
// polls.
type echoLink struct {
	slots, delay int
	messages     [][]byte
	spare        []byte // room for a message, where each is answered before the next; else nil
	polls        int    // since the first message
	failure      error
	closed       bool
}

func (l *echoLink) Send(batch []byte) (bool, error) {
	if len(l.messages) == l.slots {
		return false, nil
	}
	l.messages = append(l.messages, append(l.spare, batch...))
	return true, nil
}

func (l *echoLink) Poll() error {
	l.polls++
	return nil
}

func (l *echoLink) Next() ([]byte, bool, error) {
	if l.polls < l.delay {
		return nil, false, nil
	}
	if len(l.messages) == 0 {
		return nil, false, l.failure
	}
	first := l.messages[0]
	l.messages = append(l.messages[:0], l.messages[1:]...)
	l.polls = 0
	return first, true, nil
}

func (l *echoLink) Wait(time.Duration) error { return nil }

func (l *echoLink) Close() error {
	l.closed = true
	return nil
}

func linkSession(t *testing.T, opts kvs.SessionOptions, links ...*echoLink) *echoSession {
	t.Helper()
	s := &echoSession{group: NewGroup[*echoConn](1, false)}
	must.Do(t, s.Init(opts, 1<<10))
	for _, l := range links {
		c := &echoConn{}
		c.Attach(l, "an address", opts)
		must.Do(t, s.Add(c, &s.group))
	}
	return s
}

// TestLinks sends batches of many sizes over links, also over one with fewer slots than the window.
func TestLinks(t *testing.T) {
	opts := kvs.SessionOptions{Batch: 3, Window: 4, Connections: 2}
	links := []*echoLink{{slots: 8, delay: 1}, {slots: 2, delay: 30}}
	s := linkSession(t, opts, links...)
	manySizes(t, s, 100)
	if got := s.Traffic(); got.Writes != 0 || got.SentOps == 0 || got.SentBytes != got.ReceivedBytes {
		t.Errorf("found %+v, want no system calls, and as many bytes back as sent", got)
	}
	if s.Moved().Sockets.Sources != 0 {
		t.Error("a link has a socket")
	}
	if err := s.Close(); err != nil || !links[0].closed || !links[1].closed {
		t.Errorf("close: %v", err)
	}
}

// TestLinkWaits: a session that waits in vain comes back, and tells apart what it spun.
func TestLinkWaits(t *testing.T) {
	s := linkSession(t, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}, &echoLink{})
	for _, wait := range []time.Duration{0, 50 * time.Microsecond, 3 * time.Millisecond} {
		begun := time.Now()
		answers, err := s.Poll(nil, wait)
		if took := time.Since(begun); err != nil || len(answers) > 0 || took < wait {
			t.Errorf("%v: found %d answers, %v, after %v", wait, len(answers), err, took)
		}
	}
	if s.Traffic().SpunNs == 0 {
		t.Error("polling took no time")
	}
}

// TestLinkEnds: the answers before a link's end arrive, then its reason, for good.
func TestLinkEnds(t *testing.T) {
	s := linkSession(t, kvs.SessionOptions{Batch: 1, Window: 2, Connections: 1},
		&echoLink{slots: 2, failure: errors.New("the proxy says: no")})
	s.submit(t, []byte("one"))
	answers, err := s.Poll(nil, time.Second)
	if err != nil || len(answers) != 1 {
		t.Fatalf("found %d answers, %v", len(answers), err)
	}
	for range 2 {
		_, err := s.Poll(nil, time.Second)
		must.Fail(t, err, "an address: the proxy says: no")
	}
}

// TestLinkAllocatesNothing counts the allocations of a round over a link.
func TestLinkAllocatesNothing(t *testing.T) {
	s := linkSession(t, kvs.SessionOptions{Batch: 1, Window: 2, Connections: 1},
		&echoLink{slots: 2, spare: make([]byte, 0, 8)})
	answers := make([]kvs.Answer, 0, 8)
	if n := testing.AllocsPerRun(100, func() {
		s.submit(t, []byte("one"))
		var err error
		if answers, err = s.Poll(answers[:0], time.Second); err != nil || len(answers) != 1 {
			t.Fatal(len(answers), err)
		}
	}); n > 0 {
		t.Errorf("found %v allocations a round", n)
	}
}
