package stores

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/load"
	"dpukv/load/trace"
)

// replayed is a trace of operations on few keys, in any order, and the hits of a store that loses
// nothing.
func replayed(t *testing.T, n int) (path string, hits uint64) {
	t.Helper()
	const keys = 500
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	path = filepath.Join(t.TempDir(), "a.trace")
	w := must.Get(trace.Create(path))(t)
	there := map[uint64]bool{}
	for i := range n {
		key := uint64(i) // a key's first operation is in the order of the numbers
		if i >= keys {
			key = uint64(rng.IntN(rng.IntN(keys) + 1))
		}
		r := trace.Record{
			AtNs: int64(i) * 1000, Key: key, KeyBytes: 16, ValueBytes: 8 + rng.IntN(60),
			Op: kvs.Op(1 + rng.IntN(4)),
		}
		switch r.Op {
		case kvs.Get:
			if there[key] {
				hits++
			}
		case kvs.Delete:
			there[key] = false
		default:
			there[key] = true
		}
		must.Do(t, w.Write(&r))
	}
	must.Get(w.Finish(trace.Summary{}))(t)
	return path, hits
}

// TestReplayHitsExactly: whatever the store, its workers and the connections, each GET of a replay
// finds what the operations before it in the trace have left.
func TestReplayHitsExactly(t *testing.T) {
	path, hits := replayed(t, 50_000)
	for _, c := range []struct {
		store, access, mode string
		workers             int
	}{
		{"mica", "erew", "store", 1},
		{"mica", "crew", "cache", 2},
		{"memcached", "crcw", "cache", 4},
		{"redis", "erew", "store", 1},
		{"herd", "erew", "store", 2},
		{"onesided", "erew", "store", 1},
	} {
		t.Run(c.store+" "+c.access, func(t *testing.T) {
			st := must.Get(Named(c.store))(t)
			s, err := st.Start(&kvs.ServerConfig{
				Listen: "127.0.0.1:0", Workers: c.workers, Items: 4096, KeyBytes: 16, ValueBytes: 68,
				MaxValueBytes: 68, Setup: kvs.Setup{Mode: c.mode, Access: c.access}, Hash: st.Study.Hash,
			})
			programs.NeedFound(t, err)
			t.Cleanup(func() { must.Do(t, s.Close()) })
			dial := func() (kvs.Remote, error) {
				return st.Dial(t.Context(), &kvs.DialConfig{Addr: s.Addr()})
			}
			if c.store == "herd" { // a GET that is sent again may be answered late: it is not compared
				dial = func() (kvs.Remote, error) {
					return herd.Dial(t.Context(), s.Addr(), herd.Options{RetryAfter: time.Minute})
				}
			}
			r := must.Keep(dial())(t)
			cfg := client.Config{
				Load: load.Load{
					Workload: load.Workload{Trace: path}, Hash: r.Facts().Hash,
					Connections: 3, Window: 4, Batch: 8,
				},
				Threads: 2,
			}
			if cfg.Hash == "" {
				cfg.Hash = kvs.NoHash
			}
			p := must.Get(client.Run(t.Context(), r, cfg))(t).Point
			if p.Hits != hits || p.ComparedGets != hits || p.Evicted > 0 {
				t.Errorf("of %d GETs %d hit, of which %d were compared, with %d evictions; want %d",
					p.Gets, p.Hits, p.ComparedGets, p.Evicted, hits)
			}
		})
	}
}
