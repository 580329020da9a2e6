package herd

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"testing"

	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/partition"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func testConfig() Config {
	return Config{
		Listen: "127.0.0.1:0", Device: providerSHM, Workers: 2, Mode: partition.Store,
		Items: 100_000, LogBytes: 16 << 20, Hash: DefaultHash, Version: "test", MaxClients: 64,
	}
}

func startServer(t testing.TB, cfg Config) *Server {
	t.Helper()
	s, err := Start(cfg)
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

func dial(t testing.TB, s *Server) *Remote {
	t.Helper()
	r, err := Dial(context.Background(), s.Addr(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func openTest(t testing.TB, r *Remote, opts kvs.SessionOptions) kvs.Session {
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

func hashOf(key []byte) uint64 {
	f, err := hashbench.Lookup(DefaultHash)
	if err != nil {
		panic(err)
	}
	return f.Sum64(key)
}

func key(i int) []byte { return fmt.Appendf(nil, "key-%012d", i) }

func do(t testing.TB, s kvs.Session, requests []kvs.Request) []kvs.Answer {
	t.Helper()
	return kvstest.Do(t, s, hashOf, requests)
}

func value(i, n int) []byte {
	v := make([]byte, n)
	for j := range v {
		v[j] = byte(i + j)
	}
	return v
}

// TestOperations does every operation, in several shapes of session.
func TestOperations(t *testing.T) {
	for _, faithful := range []bool{false, true} {
		cfg := testConfig()
		cfg.Faithful = faithful
		server := startServer(t, cfg)
		for i, opts := range []kvs.SessionOptions{
			{Batch: 1, Window: 1, Connections: 1},
			{Batch: 32, Window: 1, Connections: 1},
			{Batch: 8, Window: 4, Connections: 3},
			{Batch: 5, Window: 3, Connections: 2},
		} {
			t.Run(fmt.Sprintf("faithful=%v/batch=%d/window=%d/connections=%d", faithful, opts.Batch, opts.Window,
				opts.Connections), func(t *testing.T) {
				operations(t, openTest(t, dial(t, server), opts), 1000*i)
			})
		}
	}
}

func operations(t *testing.T, s kvs.Session, from int) {
	const n = 500
	run := func(op kvs.Op, want kvs.Status, check func(i int, a kvs.Answer)) {
		t.Helper()
		var requests []kvs.Request
		for i := range n {
			requests = append(requests, kvs.Request{Op: op, Key: key(from + i), Value: value(i, i%33)})
		}
		for i, a := range do(t, s, requests) {
			if a.Op != op || a.Status != want {
				t.Fatalf("%s %d: %s %s", op, i, a.Op, a.Status)
			}
			if check != nil {
				check(i, a)
			}
		}
	}
	run(kvs.Get, kvs.NotFound, nil)
	run(kvs.Set, kvs.OK, nil)
	run(kvs.Add, kvs.Exists, nil)
	run(kvs.Get, kvs.OK, func(i int, a kvs.Answer) {
		if string(a.Value) != string(value(i, i%33)) {
			t.Fatalf("GET %d: % x", i, a.Value)
		}
		if a.SentNs <= 0 || a.ReceivedNs <= a.SentNs {
			t.Fatalf("sent at %d, received at %d", a.SentNs, a.ReceivedNs)
		}
	})
	run(kvs.Delete, kvs.OK, nil)
	run(kvs.Delete, kvs.NotFound, nil)
	run(kvs.Add, kvs.OK, nil)
}

func putUint(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }

// model is a plain map with the same rules, except that a cache may have lost anything.
type model struct {
	cache  bool
	values map[string][]byte
}

// TestMetamorphic runs the partition's random operations through HERD. Requests of one connection
// execute in order, so the earlier ones determine each answer. The store is so small that it
// evicts, moves and refuses items.
func TestMetamorphic(t *testing.T) {
	var runs atomic.Uint64
	for _, mode := range []partition.Mode{partition.Cache, partition.Store} {
		for _, opts := range []kvs.SessionOptions{
			{Batch: 1, Window: 1, Connections: 1},
			{Batch: 32, Window: 1, Connections: 1},
			{Batch: 7, Window: 5, Connections: 1},
		} {
			t.Run(fmt.Sprintf("%s/batch=%d/window=%d", mode, opts.Batch, opts.Window), func(t *testing.T) {
				cfg := testConfig()
				cfg.Mode, cfg.Items, cfg.LogBytes, cfg.SlotBytes = mode, 3000, 2<<20,
					SlotBytesFor(kvs.MaxKeyBytes, 2000)
				s := openTest(t, dial(t, startServer(t, cfg)), opts)
				rapid.Check(t, func(rt *rapid.T) {
					m := &model{cache: mode == partition.Cache, values: map[string][]byte{}}
					m.run(rt, t, s, runs.Add(1), false)
				})
			})
		}
	}
}

// TestMetamorphicWithLoss does the same with lost requests and answers. Requests in flight then
// have no order, so a batch has each key once.
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
		t.Fatalf("%s %.20q (%d bytes): %s with %d bytes; known %v with %d", r.Op, k, len(r.Value), a.Status,
			len(a.Value), known, len(want))
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
