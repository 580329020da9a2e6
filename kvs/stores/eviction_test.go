package stores

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
)

// evictionLoad asks one key after the other, and fills each miss before the next GET. So a
// simulation of the server's rule knows what each GET finds.
func evictionLoad() client.Config {
	return client.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 8000, KeyBytes: 8, ValueBytes: 16 << 10, GetRatio: 1, Dist: load.Zipf(0.9), Seed: 3,
			},
			Connections: 1, Window: 1, Batch: 1, Requests: 20_000, OnMiss: load.FillMisses,
		},
		Threads: 1,
	}
}

// simulate returns the hit rate of a cache of capacity keys, which first got all keys in turn.
// touch is called with each key that is found; evict chooses the key that makes room.
func simulate(cfg *client.Config, capacity int, c interface {
	Put(key uint64)
	Touch(key uint64)
	Evict() uint64
},
) float64 {
	there := map[uint64]bool{}
	put := func(key uint64) {
		if len(there) == capacity {
			delete(there, c.Evict())
		}
		there[key] = true
		c.Put(key)
	}
	for key := range uint64(cfg.Keys) {
		put(key)
	}
	gen, hits := load.NewGenerator(&cfg.Workload, 0, 1), 0
	for range cfg.Requests {
		key, _ := gen.Next()
		if there[key] {
			hits++
			c.Touch(key)
		} else {
			put(key)
		}
	}
	return float64(hits) / float64(cfg.Requests)
}

// fifo evicts the key that was put first.
type fifo struct{ keys []uint64 }

func (f *fifo) Put(key uint64) { f.keys = append(f.keys, key) }
func (f *fifo) Touch(uint64)   {}
func (f *fifo) Evict() uint64 {
	key := f.keys[0]
	f.keys = f.keys[1:]
	return key
}

// random evicts any key.
type random struct{ fifo }

func (r *random) Evict() uint64 {
	i := rand.IntN(len(r.keys))
	r.keys[0], r.keys[i] = r.keys[i], r.keys[0]
	return r.fifo.Evict()
}

// lru evicts the key that was used the longest time ago.
type lru struct {
	fifo
	uses map[uint64]int // of a key in the queue
}

func (l *lru) Put(key uint64) {
	l.uses[key]++
	l.fifo.Put(key)
}
func (l *lru) Touch(key uint64) { l.Put(key) }
func (l *lru) Evict() uint64 {
	for {
		key := l.fifo.Evict()
		if l.uses[key]--; l.uses[key] == 0 {
			return key
		}
	}
}

// TestHitRatesUnderEviction compares hit rates with simulations of the servers' own rules, each with
// a working set of about twice the memory.
//
//   - MICA overwrites the oldest item of its log: first in, first out.
//   - memcached without segments moves an item that is read at most once in 60 s (its
//     doc/new_lru.txt), so this test sees first in, first out.
//   - Redis evicts the oldest of a few samples, by a clock of seconds ("Key eviction" in its
//     documentation): so it lies between any key and the least recently used one.
func TestHitRatesUnderEviction(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	const within = 0.01
	for name, start := range map[string]func(*testing.T) string{
		"mica": startStore("mica"), "memcached": startMemcached, "redis": startStore("redis"),
	} {
		t.Run(name, func(t *testing.T) {
			cfg := evictionLoad()
			st := must.Get(Named(name))(t)
			r := must.Get(st.Dial(t.Context(), &kvs.DialConfig{Addr: start(t)}))(t)
			defer r.Close()
			if cfg.Hash = r.Facts().Hash; cfg.Hash == "" {
				cfg.Hash = kvs.NoHash
			}
			res := must.Get(client.Run(t.Context(), r, cfg))(t)
			stats := must.Get(r.Stats())(t)
			capacity := 0
			for i := range stats.Workers {
				capacity += int(stats.Workers[i].Items)
			}
			least := simulate(&cfg, capacity, &fifo{})
			most := least
			if name == "redis" {
				least = simulate(&cfg, capacity, &random{})
				most = simulate(&cfg, capacity, &lru{uses: map[uint64]int{}})
			}
			found := res.Point.HitRate()
			t.Logf("%d of %d keys fit: found %.4f, simulated %.4f to %.4f", capacity, cfg.Keys, found, least, most)
			if found < least-within || found > most+within || capacity > cfg.Keys*3/4 {
				t.Errorf("found %.4f, want %.4f to %.4f, and less room (%d)", found, least, most, capacity)
			}
			if p := &res.Point; p.Fills != p.Misses && p.Fills+1 != p.Misses { // the last one may come after the end
				t.Errorf("%d misses, %d fills", p.Misses, p.Fills)
			}
		})
	}
}

// startStore starts a server of a store with half the memory.
func startStore(name string) func(*testing.T) string {
	return func(t *testing.T) string {
		st := must.Get(Named(name))(t)
		cfg := evictionLoad()
		s := must.Get(st.Start(&kvs.ServerConfig{
			Listen: "127.0.0.1:0", Workers: 1, Items: cfg.Keys, KeyBytes: cfg.KeyBytes,
			ValueBytes: cfg.ValueBytes, MaxValueBytes: cfg.ValueBytes, Hash: st.Study.Hash,
			Setup: kvs.Setup{MemoryBytes: 64 << 20, Mode: "cache", Access: st.Study.Access},
		}))(t)
		t.Cleanup(func() { must.Do(t, s.Close()) })
		return s.Addr()
	}
}

// startMemcached starts one whose items have one list, instead of segments.
func startMemcached(t *testing.T) string {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	addr := l.Addr().String()
	must.Do(t, l.Close())
	_, port, _ := net.SplitHostPort(addr)
	ctx, stop := context.WithCancel(context.Background())
	args := []string{
		"-l", "127.0.0.1", "-p", port, "-U", "0", "-t", "1", "-m", "64",
		"-o", "no_lru_maintainer,no_lru_crawler",
	}
	if os.Geteuid() == 0 { // as root it requires a user
		args = append(args, "-u", "root")
	}
	cmd := exec.CommandContext(ctx, "memcached", args...)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
	})
	for {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			must.Do(t, conn.Close())
			return addr
		}
		time.Sleep(5 * time.Millisecond)
	}
}
