package bench

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/load"
)

// limitLoad is a load of a partition.
type limitLoad struct {
	name       string
	valueBytes int
	dist       load.Dist
	getRatio   float64
	readers    int // on other cores than the partition's, beside its owner, which writes
	most       int // keys; 0: of the largest table, or of 1 GiB of values
}

// limitLoads are the loads whose distance to the floor BenchmarkLimit shows.
var limitLoads = []limitLoad{
	{"get", 8, load.Uniform, 1, 0, 0},
	{"get-cached", 8, load.Uniform, 1, 0, 10_000},
	{"get-64B", 64, load.Uniform, 1, 0, 0},
	{"get-1KB", 1024, load.Uniform, 1, 0, 0},
	{"get-zipf", 8, load.Zipf(.99), 1, 0, 0},
	{"half-set", 8, load.Uniform, .5, 0, 0},
	{"crew-3-readers", 8, load.Uniform, 1, 3, 0},
}

// BenchmarkLimit is the partition beside the memory that it must touch. Each round measures the
// floor, then the partition, so that both see the same machine.
func BenchmarkLimit(b *testing.B) {
	most := keyCounts()[len(keyCounts())-1]
	for _, l := range limitLoads {
		keys := min(most, 1<<30/l.valueBytes)
		if l.most > 0 {
			keys = min(keys, l.most)
		}
		var filled *limit // the sub-benchmark runs for several b.N
		b.Run(fmt.Sprintf("keys=%d/load=%s", keys, l.name), func(b *testing.B) {
			if filled == nil {
				filled = newLimit(b, &l, keys)
			}
			b.ResetTimer() // filling is no part of what b.N is chosen by
			filled.measure(b)
		})
		if filled != nil {
			filled.free()
		}
	}
}

// limit is a partition and its floor, both filled.
type limit struct {
	*limitLoad
	stream *stream
	floor  *memoryFloor
	table  *partition.Table
	owner  *partition.Core
}

func newLimit(b *testing.B, l *limitLoad, keys int) *limit {
	access := partition.EREW
	if l.readers > 0 {
		access = partition.CREW
	}
	t := must.Get(partition.New(tableConfig(partition.Cache, access, keys, l.valueBytes)))(b)
	w := load.Workload{Keys: keys, Dist: l.dist, GetRatio: l.getRatio, Seed: 1}
	return &limit{l, streamOf(w), newMemoryFloor(b, keys, l.valueBytes), t, fill(t, keys, l.valueBytes)}
}

func (l *limit) free() {
	l.floor.free()
	_ = l.table.Close()
}

func (l *limit) measure(b *testing.B) {
	floor := floorBeside(b.N, l.floor, l.stream, l.readers)
	var ns, hit float64
	if l.readers > 0 {
		ns, hit = readBeside(b.N, l.table, l.owner, l.stream, l.readers)
	} else {
		ns, hit = executeStream(b.N, l.owner, l.stream, l.valueBytes)
	}
	b.ReportMetric(ns, "cpu-ns/op")
	b.ReportMetric(floor, "floor-ns/op")
	b.ReportMetric(ns/floor, "x-floor")
	b.ReportMetric(1e3/ns, "Mops")
	b.ReportMetric(hit, "hit%")
	b.ReportMetric(0, "ns/op") // the floor's time is in it
}

// floorBeside is the floor of as many threads as read, and of one that writes.
func floorBeside(n int, f *memoryFloor, s *stream, readers int) (nsPerOp float64) {
	if readers == 0 {
		return f.run(n, s)
	}
	ns, _ := besideWriter(readers,
		func(sets *stream) { f.run(1<<12, sets) }, s,
		func(int) (float64, float64) { return f.run(n/readers+1, s), 0 })
	return ns
}

// executeStream does n operations of a stream in batches of 64. It returns the CPU time of one, and
// the share of hits.
func executeStream(n int, c *partition.Core, s *stream, valueBytes int) (nsPerOp, hitPercent float64) {
	w := newWalk(c, s, 64, valueBytes)
	runtime.LockOSThread()
	start := cpu.ThreadNs()
	w.do(n)
	took := float64(cpu.ThreadNs() - start)
	return took / float64(n), 100 * float64(min(w.hits, n)) / float64(n)
}

// walk executes a stream, and keeps its place in it.
type walk struct {
	core       *partition.Core
	stream     *stream
	ops        []partition.Op
	buf, value []byte
	at, hits   int
}

func newWalk(c *partition.Core, s *stream, batch, valueBytes int) *walk {
	ops, buf := newBatch(batch, valueBytes)
	return &walk{core: c, stream: s, ops: ops, buf: buf, value: make([]byte, valueBytes)}
}

// do goes on with n operations, in whole batches.
func (w *walk) do(n int) {
	ops, at, hits := w.ops, w.at, 0
	for done := 0; done < n; done += len(ops) {
		w.stream.batchAt(at, ops, w.value)
		w.core.Execute(ops, w.buf)
		for i := range ops {
			if ops[i].Status == kvs.OK {
				hits++
			}
		}
		at = (at + len(ops)) % (streamLen - len(ops))
	}
	w.at = at
	w.hits += hits
}

// readBeside has readers on cores of their own while the owner overwrites values. It returns the
// mean CPU time of a read.
func readBeside(
	n int, t *partition.Table, owner *partition.Core, s *stream, readers int,
) (nsPerOp, hitPercent float64) {
	return besideWriter(readers,
		func(sets *stream) { executeStream(1<<12, owner, sets, 8) }, s,
		func(r int) (float64, float64) { return executeStream(n/readers+1, t.Core(1+r), s, 8) })
}

// besideWriter returns the means of what the readers return. Until then a thread writes.
func besideWriter(
	readers int, write func(sets *stream), s *stream, read func(r int) (float64, float64),
) (ns, hit float64) {
	var over atomic.Bool
	var writer sync.WaitGroup
	sets := &stream{s.keys, s.hashes, make([]kvs.Op, streamLen)}
	for i := range sets.codes {
		sets.codes[i] = kvs.Set
	}
	writer.Go(func() {
		for !over.Load() {
			write(sets)
		}
	})
	type reading struct{ ns, hit float64 }
	done := make(chan reading)
	for r := range readers {
		go func() {
			ns, hit := read(r)
			done <- reading{ns, hit}
		}()
	}
	for range readers {
		r := <-done
		ns += r.ns / float64(readers)
		hit += r.hit / float64(readers)
	}
	over.Store(true)
	writer.Wait()
	return ns, hit
}
