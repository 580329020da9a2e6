package herd

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"dpukv/hashbench"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/partition"

	"go.uber.org/goleak"
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
	return must.Keep(Start(cfg))(t)
}

func dial(t testing.TB, s *Server) *Remote {
	t.Helper()
	return must.Keep(Dial(context.Background(), s.Addr(), Options{}))(t)
}

func openTest(t testing.TB, r *Remote, opts kvs.SessionOptions) kvs.Session {
	t.Helper()
	return kvstest.Open(t, r, opts)
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

// operations does every operation on keys of its own. Requests that were lost have no order, so a
// batch has each key once.
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
