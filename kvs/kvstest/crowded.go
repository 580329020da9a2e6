package kvstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"dpukv/kvs"
)

// crowded runs [env.crowd] on a server of each mode that has room for few of the items. A store
// that is a program of its own has no size so small.
func (c *Config) crowded(t *testing.T, st *kvs.Store) {
	if st.Program != nil {
		return
	}
	for _, mode := range []string{"cache", "store"} {
		t.Run(mode, func(t *testing.T) {
			in := *c
			in.Server.Mode, in.Server.Items = mode, 1000
			if in.Server.Access == "crew" { // there workers overtake each other
				in.Server.Workers = 1
			}
			in.Server.ValueBytes, in.Limits.MaxValueBytes = 2000, 2000
			newEnv(t, in.dial(t, st, in.start(t, st).Addr()), in.Limits).crowd()
		})
	}
}

// crowd runs random operations over one connection, which keeps their order. A cache may lose
// items, and a store may refuse them. Neither may do anything else, and each must do it, but for
// a server that grows.
func (e *env) crowd() {
	const keys, ops = 4000, 9000
	most := e.limits.MaxValueBytes
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	var requests []kvs.Request
	for range ops {
		n := rng.IntN(keys)
		q := kvs.Request{Op: kvs.Op(1 + rng.IntN(4)), Key: fmt.Appendf(nil, "crowd %d", n)}
		if n%3 == 0 {
			q.Key = append(q.Key, bytes.Repeat([]byte{'x'}, kvs.MaxKeyBytes-len(q.Key))...)
		}
		if q.Op == kvs.Set || q.Op == kvs.Add {
			q.Value = bytes.Repeat([]byte{byte(rng.Uint32())}, most-rng.IntN(most/2))
		}
		requests = append(requests, q)
	}
	cache, model, less := e.facts.Mode == "cache", map[string][]byte{}, 0
	s := e.open(kvs.SessionOptions{Batch: min(32, e.facts.MaxBatch), Window: 1, Connections: 1})
	for i, a := range e.inOrder(s, requests) {
		q := &requests[i]
		_, there := model[string(q.Key)]
		switch {
		case cache && there && lacks(q.Op, a.Status):
			less++
			delete(model, string(q.Key))
		case !cache && a.Status == kvs.Full && (q.Op == kvs.Set || q.Op == kvs.Add && !there):
			less++
			continue
		}
		if want := apply(model, q); a.Status != want.Status || !bytes.Equal(a.Value, want.Value) {
			e.Fatalf("seed %d, operation %d, %s: got %s with %d bytes, want %s with %d", seed, i,
				q.Op, a.Status, len(a.Value), want.Status, len(want.Value))
		}
	}
	if less == 0 && !e.limits.Grows {
		e.Errorf("seed %d: mode %s lost or refused nothing", seed, e.facts.Mode)
	}
}

// lacks reports whether an answer says that its key has no item.
func lacks(op kvs.Op, s kvs.Status) bool {
	return s == kvs.NotFound || op == kvs.Add && s == kvs.OK
}
