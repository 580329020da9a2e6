package bench

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"

	"golang.org/x/sys/unix"
)

// BenchmarkKeys is the partition's Get with growing numbers of keys, and the memory of an item. The
// greatest number is there once more with pages of 1 GiB, where the machine has them.
func BenchmarkKeys(b *testing.B) {
	counts := []int{10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}
	if os.Getenv("BENCH_KEYS") != "" {
		counts = keyCounts()
	}
	for i, keys := range counts {
		s := newStream(keys)
		for _, mode := range []partition.Mode{partition.Cache, partition.Store} {
			benchKeys(b, fmt.Sprintf("keys=%d/store=mica-%s", keys, mode), s, keys, mode, offheap.Auto)
			if i == len(counts)-1 {
				pages := offheap.Sized(1 << 30)
				benchKeys(b, fmt.Sprintf("keys=%d/store=mica-%s/pages=%s", keys, mode, pages), s, keys, mode, pages)
			}
		}
	}
}

func benchKeys(b *testing.B, name string, s *stream, keys int, mode partition.Mode, pages offheap.Pages) {
	cfg := tableConfig(mode, partition.EREW, keys, 8)
	cfg.Pages = pages
	t, err := partition.New(cfg)
	if err != nil {
		b.Logf("%s left out: %v", name, err)
		return
	}
	defer t.Close()
	c := fill(t, keys, 8)
	b.Run(name, func(b *testing.B) {
		index, log := t.Memory()
		execute(b, c, s, kvs.Get, 64, 8)
		b.ReportMetric(float64(index)/float64(keys), "index-B/item")
		b.ReportMetric(float64(log)/float64(keys), "log-B/item")
		b.ReportMetric(float64(c.Stats().LiveBytes)/float64(c.Stats().Items), "live-B/item")
	})
}

// BenchmarkDepth is the partition's Get with growing numbers of operations in the pipeline: how far
// ahead it fetches.
func BenchmarkDepth(b *testing.B) {
	keys := keyCounts()[len(keyCounts())-1]
	s := newStream(keys)
	t := must.Get(partition.New(tableConfig(partition.Cache, partition.EREW, keys, 8)))(b)
	defer t.Close()
	c := fill(t, keys, 8)
	for depth := 4; depth <= partition.Depth; depth *= 2 {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) { execute(b, c, s, kvs.Get, depth, 8) })
	}
}

// BenchmarkItemSize is the partition's Get with values that grow beyond a cache line.
func BenchmarkItemSize(b *testing.B) {
	keys := keyCounts()[0]
	s := newStream(keys)
	for _, valueBytes := range []int{8, 32, 48, 64, 128, 256, 512, 1024, 4096} {
		t := must.Get(partition.New(tableConfig(partition.Cache, partition.EREW, keys, valueBytes)))(b)
		c := fill(t, keys, valueBytes)
		b.Run(fmt.Sprintf("value=%d", valueBytes), func(b *testing.B) { execute(b, c, s, kvs.Get, 64, valueBytes) })
		t.Close()
	}
}

// BenchmarkConnections is the server's CPU time of an operation with growing numbers of connections,
// a batch in flight on each, beside a bare epoll server: see [BenchmarkServerLimit].
func BenchmarkConnections(b *testing.B) {
	program := buildTool(b)
	var files unix.Rlimit
	must.Do(b, unix.Getrlimit(unix.RLIMIT_NOFILE, &files))
	for _, connections := range []int{1, 10, 100, 1000, 10_000} {
		if uint64(connections)+100 > files.Cur {
			b.Logf("%d connections left out: ulimit -n is %d", connections, files.Cur)
			continue
		}
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			sh := study
			sh.connections = connections
			besideEcho(b, program, sh, 1)
		})
	}
}

// BenchmarkThreads is the partition's Get on growing numbers of cores, up to all. Each core has
// partitions of its own, as in EREW, and all keys together stay the same. With perfect growth the
// CPU time of an operation stays the same, too.
func BenchmarkThreads(b *testing.B) {
	cpus := must.Get(cpu.Allowed())(b)
	counts := keyCounts()
	for threads := 1; ; threads = min(2*threads, len(cpus)) {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			benchThreads(b, cpus[:threads], counts[len(counts)-1]/threads)
		})
		if threads == len(cpus) {
			break
		}
	}
}

func benchThreads(b *testing.B, cpus []int, keys int) {
	s := newStream(keys)
	var cores []*partition.Core
	for range cpus {
		t := must.Get(partition.New(tableConfig(partition.Cache, partition.EREW, keys, 8)))(b)
		defer t.Close()
		cores = append(cores, fill(t, keys, 8))
	}
	b.ResetTimer()
	took := make([]float64, len(cpus))
	var all sync.WaitGroup
	for i, number := range cpus {
		all.Go(func() {
			if err := cpu.PinThread(number); err != nil {
				b.Error(err)
				return
			}
			took[i], _ = executeStream(b.N, cores[i], s, 8)
		})
	}
	all.Wait()
	var ns, mops float64
	for _, t := range took {
		ns += t / float64(len(cpus))
		mops += 1e3 / t
	}
	b.ReportMetric(ns, "cpu-ns/op")
	b.ReportMetric(mops, "Mops")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWorkers is the server's CPU time an operation with growing numbers of workers, up to
// all CPUs, of which one is the client's, too. One client does not fill many workers.
func BenchmarkWorkers(b *testing.B) {
	cpus := must.Get(cpu.Allowed())(b)
	for workers := 1; workers <= len(cpus); workers *= 2 {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			sh := study
			s := must.Get(mica.Start(mica.Config{
				Listen: "127.0.0.1:0", Workers: workers, PartitionsPerWorker: 1, Mode: partition.Cache, Items: sh.keys,
				LogBytes: partition.LogBytesFor(sh.keys, 8, sh.valueBytes, partition.Cache, workers), Hash: "city64",
				CPUs: cpus,
			}))(b)
			defer s.Close()
			preload(b, s.Addr(), sh)
			drive(b, s.Addr(), sh, func() (cpuNs, ops int64) {
				st := must.Get(s.Stats())(b)
				for _, w := range st.Workers {
					cpuNs += w.CPUNs
				}
				return cpuNs, int64(st.Ops())
			})
		})
	}
}
