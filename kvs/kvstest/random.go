package kvstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"dpukv/kvs"
)

// random runs operations on few keys, over one connection, which keeps their order.
func (e *env) random(opts kvs.SessionOptions) {
	const keys, ops = 50, 5000
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	if opts.Connections > 1 || e.facts.Workers > 1 {
		e.randomEach(opts, rng, seed)
		return
	}
	model := map[string][]byte{}
	var requests []kvs.Request
	var want []kvs.Answer
	for range keys { // earlier runs used them too
		requests = append(requests, kvs.Request{Op: kvs.Delete, Key: randomKey(len(requests))})
		want = append(want, kvs.Answer{})
	}
	for range ops {
		q := kvs.Request{Op: kvs.Op(1 + rng.IntN(4)), Key: randomKey(rng.IntN(keys))}
		if q.Op == kvs.Set || q.Op == kvs.Add {
			q.Value = make([]byte, min(rng.IntN(64)*rng.IntN(64), e.limits.MaxValueBytes))
			for i := range q.Value {
				q.Value[i] = byte(rng.Uint32())
			}
		}
		requests, want = append(requests, q), append(want, apply(model, &q))
	}
	for i, a := range e.inOrder(e.open(opts), requests) {
		if i >= keys && (a.Status != want[i].Status || !bytes.Equal(a.Value, want[i].Value)) {
			e.Fatalf("seed %d, operation %d, %s: got %s with %d bytes, want %s with %d", seed, i,
				requests[i].Op, a.Status, len(a.Value), want[i].Status, len(want[i].Value))
		}
	}
}

// keepsOrder runs operations on few keys over several connections, all in flight together. A
// session that was asked to keeps the order of each key's. One that says that it sent requests
// again may have got a GET executed twice.
func (e *env) keepsOrder() {
	const keys, ops = 40, 6000
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	s := e.open(kvs.SessionOptions{Batch: 4, Window: 2, Connections: 3, KeepOrder: true})
	model := map[string][]byte{}
	var requests []kvs.Request
	var want []kvs.Answer
	for i := range keys + ops {
		op, key := kvs.Op(1+rng.IntN(4)), rng.IntN(keys)
		if i < keys {
			op, key = kvs.Set, i
		}
		q := kvs.Request{Op: op, Key: fmt.Appendf(nil, "order %d", key)}
		if q.Op == kvs.Set || q.Op == kvs.Add {
			q.Value = fmt.Appendf(nil, "%d of %d", i, seed)
		}
		requests, want = append(requests, q), append(want, apply(model, &q))
	}
	got := e.do(s, requests)
	if n := s.Traffic().Retries; n > 0 {
		e.Logf("requests sent again: %d; the order of answers was not compared", n)
		return
	}
	for i, a := range got {
		if a.Status != want[i].Status || !bytes.Equal(a.Value, want[i].Value) {
			e.Fatalf("seed %d, operation %d, %s of %q: got %s with %q, want %s with %q", seed, i,
				requests[i].Op, requests[i].Key, a.Status, a.Value, want[i].Status, want[i].Value)
		}
	}
}

// inOrder runs requests so that those for the same key are executed in their order.
func (e *env) inOrder(s kvs.Session, requests []kvs.Request) (got []kvs.Answer) {
	e.Helper()
	for _, group := range e.groups(requests) {
		got = append(got, e.do(s, group)...)
	}
	return got
}

// groups divides requests into those that may be in flight together: none for the same key, where
// these may be executed in any order.
func (e *env) groups(all []kvs.Request) (groups [][]kvs.Request) {
	if !e.limits.AnyOrder {
		return [][]kvs.Request{all}
	}
	begin, seen := 0, map[string]bool{}
	for i := range all {
		key := string(all[i].Key)
		if seen[key] {
			groups = append(groups, all[begin:i])
			begin, seen = i, map[string]bool{}
		}
		seen[key] = true
	}
	return append(groups, all[begin:])
}

func randomKey(n int) []byte { return fmt.Appendf(nil, "random\r\n %d", n) }

// apply applies one operation to a map.
func apply(m map[string][]byte, q *kvs.Request) (a kvs.Answer) {
	value, there := m[string(q.Key)]
	switch {
	case q.Op == kvs.Add && there:
		a.Status = kvs.Exists
	case q.Op == kvs.Set || q.Op == kvs.Add:
		m[string(q.Key)] = q.Value
	case !there:
		a.Status = kvs.NotFound
	case q.Op == kvs.Delete:
		delete(m, string(q.Key))
	default:
		a.Value = value
	}
	return a
}

// randomEach is for sessions of several connections, which overtake each other. It sets every key
// once, and gets it later.
func (e *env) randomEach(opts kvs.SessionOptions, rng *rand.Rand, seed uint64) {
	var sets, gets []kvs.Request
	for i := range 2000 {
		k := fmt.Appendf(nil, "each %d", i)
		sets = append(sets, kvs.Request{
			Op: kvs.Set, Key: k,
			Value: fmt.Appendf(nil, "%d %d", seed, i),
		})
	}
	for range 5000 {
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: sets[rng.IntN(len(sets))].Key})
	}
	s := e.open(opts)
	for i, a := range e.do(s, sets) {
		if a.Status != kvs.OK {
			e.Fatalf("set %d: %s", i, a.Status)
		}
	}
	for i, a := range e.do(s, gets) {
		var n int
		if _, err := fmt.Sscanf(string(gets[i].Key), "each %d", &n); err != nil {
			e.Fatal(err)
		}
		if got := string(a.Value); got != string(sets[n].Value) {
			e.Fatalf("seed %d: key %d has %q, want %q", seed, n, got, sets[n].Value)
		}
	}
}
