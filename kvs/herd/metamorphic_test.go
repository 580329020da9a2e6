package herd

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/partition"

	"pgregory.net/rapid"
)

// model is a plain map that obeys the same rules, except that a cache may have lost anything.
type model struct {
	cache  bool
	values map[string][]byte
}

// TestMetamorphic runs the partition's random operations through HERD: requests of one connection are done
// in order, so that each answer is known from those before it, and the store behind them is so small that
// items are evicted, moved and refused.
func TestMetamorphic(t *testing.T) {
	var runs atomic.Uint64
	for _, mode := range []partition.Mode{partition.Cache, partition.Store} {
		for _, opts := range []kvs.SessionOptions{
			{Batch: 1, Window: 1, Connections: 1}, {Batch: 32, Window: 1, Connections: 1}, {Batch: 7, Window: 5, Connections: 1},
		} {
			t.Run(fmt.Sprintf("%s/batch=%d/window=%d", mode, opts.Batch, opts.Window), func(t *testing.T) {
				cfg := testConfig()
				cfg.Mode, cfg.Items, cfg.LogBytes, cfg.SlotBytes = mode, 3000, 2<<20, SlotBytesFor(kvs.MaxKeyBytes, 2000)
				s := openTest(t, dial(t, startServer(t, cfg)), opts)
				rapid.Check(t, func(rt *rapid.T) {
					m := &model{cache: mode == partition.Cache, values: map[string][]byte{}}
					m.run(rt, t, s, runs.Add(1), false)
				})
			})
		}
	}
}

// TestMetamorphicWithLoss does the same where requests and answers get lost. What is in flight at once then has no order, so
// that a batch has each key once.
func TestMetamorphicWithLoss(t *testing.T) {
	var runs atomic.Uint64
	for _, mode := range []partition.Mode{partition.Cache, partition.Store} {
		t.Run(mode.String(), func(t *testing.T) {
			cfg := testConfig()
			cfg.Mode, cfg.Items, cfg.LogBytes, cfg.SlotBytes = mode, 3000, 2<<20, SlotBytesFor(kvs.MaxKeyBytes, 2000)
			_, s, _, _ := lossyPair(t, cfg, kvs.SessionOptions{Batch: 8, Window: 4, Connections: 2})
			rapid.Check(t, func(rt *rapid.T) {
				m := &model{cache: mode == partition.Cache, values: map[string][]byte{}}
				m.run(rt, t, s, runs.Add(1), true)
			})
		})
	}
}

func (m *model) run(rt *rapid.T, t *testing.T, s kvs.Session, run uint64, distinct bool) {
	keySpace := rapid.IntRange(1, 300).Draw(rt, "keys")
	most := 40
	if rapid.Bool().Draw(rt, "large values") {
		most = 2000
	}
	for range rapid.IntRange(1, 6).Draw(rt, "batches") {
		requests := rapid.SliceOfN(requestGenerator(run, keySpace, most), 1, 100).Draw(rt, "batch")
		if distinct {
			requests = oncePerKey(requests)
		}
		for i, a := range do(t, s, requests) {
			m.check(rt, &requests[i], &a)
		}
	}
	var clean []kvs.Request // the next run starts with an empty store
	for k := range m.values {
		clean = append(clean, kvs.Request{Op: kvs.Delete, Key: []byte(k)})
	}
	do(t, s, clean)
}

func oncePerKey(requests []kvs.Request) (kept []kvs.Request) {
	seen := map[string]bool{}
	for _, r := range requests {
		if !seen[string(r.Key)] {
			seen[string(r.Key)] = true
			kept = append(kept, r)
		}
	}
	return kept
}

func requestGenerator(run uint64, keySpace, most int) *rapid.Generator[kvs.Request] {
	return rapid.Custom(func(t *rapid.T) kvs.Request {
		n := rapid.IntRange(0, keySpace-1).Draw(t, "key")
		r := kvs.Request{
			Op:  rapid.SampledFrom([]kvs.Op{kvs.Get, kvs.Set, kvs.Set, kvs.Add, kvs.Delete}).Draw(t, "op"),
			Key: fmt.Appendf(nil, "%d-%d", run, n),
		}
		if n%3 == 0 {
			r.Key = append(r.Key, bytes.Repeat([]byte{'x'}, kvs.MaxKeyBytes-len(r.Key))...)
		}
		if r.Op == kvs.Set || r.Op == kvs.Add {
			r.Value = bytes.Repeat([]byte{rapid.Byte().Draw(t, "fill")}, rapid.IntRange(0, most).Draw(t, "value bytes"))
		}
		return r
	})
}

func (m *model) check(t *rapid.T, r *kvs.Request, a *kvs.Answer) {
	k := string(r.Key)
	want, known := m.values[k]
	fail := func() {
		t.Fatalf("%s %.20q (%d bytes): %s with %d bytes; known %v with %d", r.Op, k, len(r.Value), a.Status, len(a.Value), known, len(want))
	}
	ok := false
	switch a.Status {
	case kvs.OK:
		switch r.Op {
		case kvs.Get:
			ok = known && bytes.Equal(a.Value, want)
		case kvs.Add:
			ok = !known || m.cache
		case kvs.Delete:
			ok = known
		case kvs.Set:
			ok = true
		}
	case kvs.NotFound:
		ok = (r.Op == kvs.Get || r.Op == kvs.Delete) && (!known || m.cache)
	case kvs.Exists:
		ok = r.Op == kvs.Add && known
	case kvs.Full:
		ok = (r.Op == kvs.Set || r.Op == kvs.Add) && !m.cache
	}
	if a.Op != r.Op || !ok {
		fail()
	}
	switch {
	case r.Op == kvs.Delete:
		delete(m.values, k)
	case r.Op.Writes() && a.Status == kvs.OK:
		m.values[k] = r.Value
	}
}
