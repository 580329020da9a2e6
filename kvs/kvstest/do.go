package kvstest

import (
	"bytes"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// timeout is the limit for all answers of one call of [Do]: far more than they take on a busy
// machine.
const timeout = time.Minute

// Do runs requests through a session and returns their answers, in the order of the requests. It
// sets the requests' cookies and, by hash, their hashes (nil: the store hashes by itself).
func Do(
	t testing.TB, s kvs.Session, hash func(key []byte) uint64, requests []kvs.Request,
) []kvs.Answer {
	t.Helper()
	return exchange(t, s, hash, requests, timeout)
}

func exchange(
	t testing.TB, s kvs.Session, hash func(key []byte) uint64, requests []kvs.Request,
	limit time.Duration,
) []kvs.Answer {
	t.Helper()
	x := exchanger{t, s, make([]kvs.Answer, len(requests)), make([]bool, len(requests))}
	deadline := time.Now().Add(limit)
	for i := range requests {
		r := &requests[i]
		if r.Cookie = uint64(i); hash != nil {
			r.Hash = hash(r.Key)
		}
		for !submit(t, s, r) {
			x.collect(100*time.Millisecond, deadline)
		}
	}
	for s.InFlight() > 0 {
		must.Do(t, s.Flush())
		x.collect(100*time.Millisecond, deadline)
	}
	for i, there := range x.there {
		if !there {
			t.Fatalf("request %d has no answer, and none is in flight", i)
		}
	}
	return x.got
}

// exchanger matches answers with requests.
type exchanger struct {
	testing.TB
	session kvs.Session
	got     []kvs.Answer
	there   []bool
}

func (x *exchanger) collect(wait time.Duration, deadline time.Time) {
	x.Helper()
	answers, err := x.session.Poll(nil, wait)
	if err != nil {
		x.Fatal(err)
	}
	for _, a := range answers {
		if a.Cookie >= uint64(len(x.got)) || x.there[a.Cookie] {
			x.Fatalf("answer to request %d: nobody waits for it", a.Cookie)
		}
		a.Value = bytes.Clone(a.Value) // valid only until the next call
		x.got[a.Cookie], x.there[a.Cookie] = a, true
	}
	if time.Now().After(deadline) {
		x.Fatalf("%d requests without an answer", x.session.InFlight())
	}
}

func submit(t testing.TB, s kvs.Session, r *kvs.Request) bool {
	t.Helper()
	return must.Get(s.Submit(r))(t)
}
