package pipetest

import (
	"bytes"
	"testing"
	"time"

	"dpukv/kvs"
)

// Patience is for an answer of a server on this machine, however busy that is.
const Patience = 20 * time.Second

// Do runs requests through a session and gives their answers by cookie, which is their index.
func Do(t testing.TB, s kvs.Session, requests []kvs.Request) []kvs.Answer {
	t.Helper()
	got := make([]kvs.Answer, len(requests))
	collect := func(wait time.Duration) {
		t.Helper()
		answers, err := s.Poll(nil, wait)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if a.ReceivedNs < a.SentNs || got[a.Cookie].Op != 0 {
				t.Fatalf("answered twice, or before it was sent: %+v", a)
			}
			a.Value = bytes.Clone(a.Value)
			got[a.Cookie] = a
		}
	}
	for i := range requests {
		requests[i].Cookie = uint64(i)
		for {
			ok, err := s.Submit(&requests[i])
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				break
			}
			collect(time.Second)
		}
	}
	for deadline := time.Now().Add(Patience); s.InFlight() > 0; {
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		collect(100 * time.Millisecond)
		if time.Now().After(deadline) {
			t.Fatalf("%d requests without an answer", s.InFlight())
		}
	}
	return got
}

// Open opens a session for the length of a test.
func Open(t testing.TB, r kvs.Remote, opts kvs.SessionOptions) kvs.Session {
	t.Helper()
	s, err := r.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
