package bench

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/load"

	"github.com/VictoriaMetrics/fastcache"
	"github.com/go-faster/city"
)

// stream is a repeatable sequence of keys with their hashes. It is too long for a branch predictor
// to learn, and it is read in order, so that it costs every contestant the same.
type stream struct {
	keys   []uint64
	hashes []uint64
	codes  []kvs.Op
}

const streamLen = 1 << 20

// newStream is Gets of uniform keys.
func newStream(keys int) *stream {
	return streamOf(load.Workload{Keys: keys, Dist: load.Uniform, GetRatio: 1, Seed: 1})
}

func streamOf(w load.Workload) *stream {
	s := &stream{make([]uint64, streamLen), make([]uint64, streamLen), make([]kvs.Op, streamLen)}
	g := load.NewGenerator(&w, 0, 1)
	for i := range s.keys {
		key, get := g.Next()
		s.keys[i], s.hashes[i], s.codes[i] = key, hashOf(key), kvs.Set
		if get {
			s.codes[i] = kvs.Get
		}
	}
	return s
}

// batchAt fills a batch with the operations from at on. A Set stores value.
func (s *stream) batchAt(at int, ops []partition.Op, value []byte) {
	keys, hashes, codes := s.keys[at:at+len(ops)], s.hashes[at:at+len(ops)], s.codes[at:at+len(ops)]
	for i := range ops {
		ops[i].Code, ops[i].Hash = codes[i], hashes[i]
		binary.LittleEndian.PutUint64(ops[i].Key, keys[i])
		ops[i].Value = value
	}
}

func hashOf(key uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], key)
	return city.Hash64(b[:])
}

// keyCounts are 1 M and 16 M keys. BENCH_KEYS sets another count, for a run that only checks that
// everything works.
func keyCounts() []int {
	if s := os.Getenv("BENCH_KEYS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		return []int{n}
	}
	return []int{1_000_000, 16_000_000}
}

// report reports the CPU time of the thread, which other load on the machine does not stretch.
func report(b *testing.B, cpuNs int64, hits int) {
	perOp := float64(cpuNs) / float64(b.N)
	b.ReportMetric(perOp, "cpu-ns/op")
	b.ReportMetric(1e3/perOp, "Mops")
	if hits >= 0 {
		b.ReportMetric(100*float64(hits)/float64(b.N), "hit%")
	}
}

func tableConfig(mode partition.Mode, access partition.Access, keys, valueBytes int) partition.Config {
	return partition.Config{
		Mode: mode, Access: access, Cores: 1, PerCore: 1, Items: keys,
		LogBytes: partition.LogBytesFor(keys, 8, valueBytes, mode, 1),
	}
}

func fill(t *partition.Table, keys, valueBytes int) *partition.Core {
	c := t.Core(0)
	ops, buf := newBatch(64, valueBytes)
	value := make([]byte, valueBytes)
	for k := 0; k < keys; {
		n := min(64, keys-k)
		for i := range n {
			ops[i].Code = kvs.Set
			ops[i].Hash = hashOf(uint64(k))
			binary.LittleEndian.PutUint64(ops[i].Key, uint64(k))
			ops[i].Value = value
			k++
		}
		c.Execute(ops[:n], buf)
	}
	return c
}

func newBatch(n, valueBytes int) ([]partition.Op, []byte) {
	ops := make([]partition.Op, n)
	keys := make([]byte, 8*n)
	for i := range ops {
		ops[i].Key = keys[8*i : 8*i+8 : 8*i+8]
	}
	return ops, make([]byte, 0, (valueBytes+7)*n)
}

// BenchmarkPartition is the store in process beside a Go map and fastcache.
func BenchmarkPartition(b *testing.B) {
	for _, keys := range keyCounts() {
		s := newStream(keys)
		for _, mode := range []partition.Mode{partition.Cache, partition.Store} {
			for _, access := range []partition.Access{partition.EREW, partition.CREW} {
				t := must.Get(partition.New(tableConfig(mode, access, keys, 8)))(b)
				c := fill(t, keys, 8)
				for _, op := range []kvs.Op{kvs.Get, kvs.Set} {
					for _, batch := range []int{64, 1} {
						b.Run(fmt.Sprintf("keys=%d/store=mica-%s-%s-%s/op=%s/batch=%d", keys, mode, access, t.Backing(),
							op, batch),
							func(b *testing.B) { execute(b, c, s, op, batch, 8) })
					}
				}
				t.Close()
			}
		}
		goMap(b, keys, s)
		fast(b, keys, s)
	}
}

// execute does b.N operations on the stream's keys, and reports hits. A Set that was OK is a hit,
// too.
func execute(b *testing.B, c *partition.Core, s *stream, op kvs.Op, batch, valueBytes int) {
	b.ReportAllocs()
	ops, buf := newBatch(batch, valueBytes)
	hits, at := 0, 0
	runtime.LockOSThread()
	start := cpu.ThreadNs()
	for done := 0; done < b.N; done += batch {
		for i := range ops {
			ops[i].Code = op
			ops[i].Hash = s.hashes[at]
			binary.LittleEndian.PutUint64(ops[i].Key, s.keys[at])
			if op == kvs.Set {
				ops[i].Value = ops[i].Key
			}
			at = (at + 1) % streamLen
		}
		c.Execute(ops, buf)
		for i := range ops {
			if ops[i].Status == kvs.OK {
				hits++
			}
		}
	}
	report(b, cpu.ThreadNs()-start, min(hits, b.N))
}

func goMap(b *testing.B, keys int, s *stream) {
	fill := sync.OnceValue(func() map[uint64]uint64 {
		m := make(map[uint64]uint64, keys)
		for k := range uint64(keys) {
			m[k] = k
		}
		return m
	})
	b.Run(fmt.Sprintf("keys=%d/store=go-map/op=GET/batch=1", keys), func(b *testing.B) {
		m, hits, at := fill(), 0, 0
		b.ResetTimer() // the first call fills
		runtime.LockOSThread()
		start := cpu.ThreadNs()
		for range b.N {
			if _, ok := m[s.keys[at]]; ok {
				hits++
			}
			at = (at + 1) % streamLen
		}
		report(b, cpu.ThreadNs()-start, hits)
	})
	b.Run(fmt.Sprintf("keys=%d/store=go-map/op=SET/batch=1", keys), func(b *testing.B) {
		m, at := fill(), 0
		b.ResetTimer()
		runtime.LockOSThread()
		start := cpu.ThreadNs()
		for range b.N {
			m[s.keys[at]] = uint64(at)
			at = (at + 1) % streamLen
		}
		report(b, cpu.ThreadNs()-start, b.N)
	})
}

func fast(b *testing.B, keys int, s *stream) {
	var k [8]byte
	var c *fastcache.Cache
	fill := sync.OnceFunc(func() {
		c = fastcache.New(max(64<<20, keys*64))
		for i := range uint64(keys) {
			binary.LittleEndian.PutUint64(k[:], i)
			c.Set(k[:], k[:])
		}
	})
	defer func() {
		if c != nil {
			c.Reset()
		}
	}()
	b.Run(fmt.Sprintf("keys=%d/store=fastcache/op=GET/batch=1", keys), func(b *testing.B) {
		fill()
		b.ResetTimer()
		hits, at := 0, 0
		dst := make([]byte, 0, 8)
		runtime.LockOSThread()
		start := cpu.ThreadNs()
		for range b.N {
			binary.LittleEndian.PutUint64(k[:], s.keys[at])
			if v := c.Get(dst[:0], k[:]); len(v) == 8 {
				hits++
			}
			at = (at + 1) % streamLen
		}
		report(b, cpu.ThreadNs()-start, hits)
	})
	b.Run(fmt.Sprintf("keys=%d/store=fastcache/op=SET/batch=1", keys), func(b *testing.B) {
		fill()
		b.ResetTimer()
		at := 0
		runtime.LockOSThread()
		start := cpu.ThreadNs()
		for range b.N {
			binary.LittleEndian.PutUint64(k[:], s.keys[at])
			c.Set(k[:], k[:])
			at = (at + 1) % streamLen
		}
		report(b, cpu.ThreadNs()-start, b.N)
	})
}
