package kvstest

import (
	"bytes"
	"testing"
	"time"

	"dpukv/kvs"
)

// timeout is the limit for all answers of one call of [Do]: far more than they take on a busy
// machine.
const timeout = 20 * time.Second

// Do runs requests through a session and returns their answers, in the order of the requests. It
// sets the requests' cookies and, by hash, their hashes (nil: the store hashes by itself).
func Do(
	t testing.TB, s kvs.Session, hash func(key []byte) uint64, requests []kvs.Request,
) []kvs.Answer {
	t.Helper()
	got := make([]kvs.Answer, len(requests))
	collect := func(wait time.Duration) {
		t.Helper()
		answers, err := s.Poll(nil, wait)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			a.Value = bytes.Clone(a.Value) // valid only until the next call
			got[a.Cookie] = a
		}
	}
	for i := range requests {
		r := &requests[i]
		if r.Cookie = uint64(i); hash != nil {
			r.Hash = hash(r.Key)
		}
		for !submit(t, s, r) {
			collect(time.Second)
		}
	}
	for deadline := time.Now().Add(timeout); s.InFlight() > 0; {
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

func submit(t testing.TB, s kvs.Session, r *kvs.Request) bool {
	t.Helper()
	ok, err := s.Submit(r)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}
