package herd

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/order"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	serverCPU  = 0
	clientCPU  = 1
	benchKeys  = 1 << 20
	streamBits = 20
)

// stream is a row of keys drawn beforehand, with their hashes.
type stream struct {
	keys   [][16]byte
	hashes []uint64
}

func newStream() *stream {
	s := &stream{make([][16]byte, 1<<streamBits), make([]uint64, 1<<streamBits)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range s.keys {
		putUint(s.keys[i][:], rng.Uint64N(benchKeys))
		s.hashes[i] = hashOf(s.keys[i][:])
	}
	return s
}

// BenchmarkSHM measures HERD with one server core and one client core: clients × window, by the
// share of GETs. GETs in whole batches of 32 stand beside a yardstick, measured just before: see
// [yardstick]. x-yardstick is the yardstick's throughput over HERD's.
func BenchmarkSHM(b *testing.B) {
	// Two threads that never block, and one turn for everything else.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	keys := newStream()
	for _, shape := range []struct{ clients, batch, window int }{{8, 32, 1}, {1, 32, 1}, {1, 8, 4}, {1, 1, 1}} {
		for _, gets := range []int{100, 50} {
			name := fmt.Sprintf("clients=%d/batch=%d/window=%d/get=%d", shape.clients, shape.batch, shape.window, gets)
			b.Run(name, func(b *testing.B) {
				limit := 0.0
				if shape.batch == bareWindow && gets == 100 {
					limit = yardstick(b, keys, shape.clients)
				}
				mops := benchmark(b, keys, kvs.SessionOptions{
					Batch: shape.batch, Window: shape.window,
					Connections: shape.clients,
				}, gets)
				if limit > 0 {
					b.ReportMetric(limit, "yardstick-Mops")
					b.ReportMetric(limit/mops, "x-yardstick")
				}
			})
		}
	}
}

func benchmark(b *testing.B, keys *stream, opts kvs.SessionOptions, gets int) (mops float64) {
	server := startServer(b, Config{
		Listen: "127.0.0.1:0", Device: providerSHM, Workers: 1, Mode: partition.Cache, Items: benchKeys,
		LogBytes: partition.LogBytesFor(benchKeys, 16, 32, partition.Cache, 1), Hash: DefaultHash,
		CPUs: []int{serverCPU},
	})
	remote := dial(b, server)
	session := openTest(b, remote, opts)
	done := make(chan error)
	go func() {
		var err error
		mops, err = drive(b, server, session, keys, gets)
		done <- err
	}()
	must.Do(b, <-done)
	return mops
}

// drive keeps the window full from one pinned thread. It neither hashes nor checks values, so that
// it costs little.
func drive(
	b *testing.B, server *Server, s kvs.Session, keys *stream, gets int,
) (mops float64, err error) {
	if err := cpu.PinThread(clientCPU); err != nil {
		return 0, err
	}
	hist := hdrhistogram.New(1, int64(time.Minute), 3)
	rng := rand.New(rand.NewPCG(3, 4))
	ops := make([]kvs.Op, 1<<16)
	for i := range ops {
		ops[i] = kvs.Set
		if rng.IntN(100) < gets {
			ops[i] = kvs.Get
		}
	}
	var value [32]byte
	req := kvs.Request{Value: value[:]}
	var answers []kvs.Answer
	var key [16]byte
	hits, asked := 0, 0
	cycle := func(next func(i int), n int) error {
		for sent, got := 0, 0; got < n; {
			for sent < n {
				next(sent)
				ok, err := s.Submit(&req)
				if err != nil {
					return err
				}
				if !ok {
					break
				}
				sent++
			}
			if sent == n {
				if err := s.Flush(); err != nil {
					return err
				}
			}
			var err error
			if answers, err = s.Poll(answers[:0], time.Second); err != nil {
				return err
			}
			if len(answers) == 0 {
				return fmt.Errorf("no answer within a second, with %d requests in flight", s.InFlight())
			}
			got += len(answers)
			sentNs := int64(0)
			for i := range answers {
				a := &answers[i]
				if a.Op == kvs.Get {
					asked++
					if a.Status == kvs.OK && len(a.Value) == 32 {
						hits++
					}
				}
				if a.SentNs != sentNs {
					sentNs = a.SentNs
					_ = hist.RecordValue(a.ReceivedNs - sentNs)
				}
			}
		}
		return nil
	}
	preload := func(i int) {
		putUint(key[:], uint64(i))
		req.Op, req.Key, req.Hash = kvs.Set, key[:], hashOf(key[:])
	}
	load := func(i int) {
		at := i & (1<<streamBits - 1)
		req.Op, req.Key, req.Hash = ops[i&(1<<16-1)], keys.keys[at][:], keys.hashes[at]
	}
	if err := cycle(preload, benchKeys); err != nil {
		return 0, err
	}
	if err := cycle(load, min(100_000, b.N)); err != nil {
		return 0, err
	}
	hist.Reset()
	hits, asked = 0, 0
	before, err := server.Stats()
	if err != nil {
		return 0, err
	}
	cpu0, wall0, spun0 := cpu.ThreadNs(), cpu.NowNs(), s.Traffic().SpunNs
	b.ResetTimer()
	if err := cycle(load, b.N); err != nil {
		return 0, err
	}
	wall, clientNs := cpu.NowNs()-wall0, cpu.ThreadNs()-cpu0
	after, err := server.Stats()
	if err != nil {
		return 0, err
	}
	n := float64(b.N)
	b.ReportMetric(float64(after.Workers[0].CPUNs-before.Workers[0].CPUNs)/n, "server-cpu-ns/op")
	b.ReportMetric(float64(clientNs)/n, "client-cpu-ns/op")
	b.ReportMetric(float64(s.Traffic().SpunNs-spun0)/n, "client-spun-ns/op")
	mops = 1e3 * n / float64(wall)
	b.ReportMetric(mops, "Mops")
	b.ReportMetric(n/float64(after.Workers[0].Frames-before.Workers[0].Frames), "ops/pass")
	b.ReportMetric(float64(hist.ValueAtPercentile(50))/1e3, "p50-µs")
	b.ReportMetric(100*float64(hits)/float64(max(asked, 1)), "hit%")
	if t := s.Traffic(); t.Retries > 0 {
		b.ReportMetric(float64(t.Retries), "retries")
	}
	return mops, nil
}

// bareLine is a request or an answer of the yardstick. The last word is written last.
type bareLine struct {
	key   [16]byte
	value [32]byte
	hash  uint64
	ready uint64 // sequence of what is in the line, and the operation
}

const bareWindow = 32

// yardstick measures the store and the slots without verbs, queue pairs, or a session: two threads
// over plain memory, a line per request and a line per answer. It is the machine's limit.
func yardstick(b *testing.B, keys *stream, clients int) (mops float64) {
	n := clients * bareWindow
	memory := must.Get(offheap.Alloc(2*n*64, offheap.Auto))(b)
	defer memory.Free()
	lines := unsafe.Slice((*bareLine)(unsafe.Pointer(&memory.Bytes()[0])), 2*n)
	table, err := partition.New(partition.Config{
		Mode: partition.Cache, Cores: 1, PerCore: 1, Items: benchKeys,
		LogBytes: partition.LogBytesFor(benchKeys, 16, 32, partition.Cache, 1),
	})
	must.Do(b, err)
	defer table.Close()
	core := table.Core(0)
	for i := range uint64(benchKeys) {
		var key [16]byte
		putUint(key[:], i)
		core.Execute([]partition.Op{{Code: kvs.Set, Key: key[:], Value: make([]byte, 32), Hash: hashOf(key[:])}}, nil)
	}
	var stop atomic.Bool
	over := make(chan struct{})
	go func() { defer close(over); bareServer(core, lines[:n], lines[n:], clients, &stop) }()
	done := make(chan error)
	hits := uint64(0)
	go func() {
		err := cpu.PinThread(clientCPU)
		if err == nil {
			mops, hits = bareClient(b.N, keys, lines[:n], lines[n:], clients)
		}
		done <- err
	}()
	err = <-done
	stop.Store(true)
	<-over
	if err == nil && hits == 0 {
		err = errors.New("the yardstick found no key")
	}
	must.Do(b, err)
	return mops
}

// bareClient writes whole windows, and waits for the oldest one's answers. It records their latency
// and counts the hits, as any client must.
func bareClient(
	ops int, keys *stream, slots, answers []bareLine, clients int,
) (mops float64, hits uint64) {
	begun := cpu.NowNs()
	at := 0
	rounds := max(1, ops/(clients*bareWindow))
	hist := hdrhistogram.New(1, int64(time.Minute), 3)
	sentNs := make([]int64, clients)
	for round := range uint64(rounds) + 1 {
		for c := range clients {
			now := cpu.NowNs()
			if round > 0 {
				_ = hist.RecordValue(now - sentNs[c])
			}
			sentNs[c] = now
			for i := c * bareWindow; i < (c+1)*bareWindow; i++ {
				if round > 0 {
					for atomic.LoadUint64(&answers[i].ready)>>1 != round {
					}
					hits += answers[i].ready & 1
				}
				if round < uint64(rounds) {
					slots[i].key, slots[i].hash = keys.keys[at], keys.hashes[at]
					order.Store64(&slots[i].ready, round+1)
					at = (at + 1) & (1<<streamBits - 1)
				}
			}
		}
	}
	return 1e3 * float64(rounds*clients*bareWindow) / float64(cpu.NowNs()-begun), hits
}

func bareServer(core *partition.Core, slots, answers []bareLine, clients int, stop *atomic.Bool) {
	if cpu.PinThread(serverCPU) != nil {
		return
	}
	ops, from := make([]partition.Op, partition.Depth), make([]int, partition.Depth)
	out := make([]byte, 0, 64*partition.Depth)
	next := make([]uint64, clients)
	for !stop.Load() {
		n := 0
		for c := range clients {
			for n < len(ops) {
				i := c*bareWindow + int(next[c]%bareWindow)
				s := &slots[i]
				if atomic.LoadUint64(&s.ready) != next[c]/bareWindow+1 {
					break
				}
				ops[n] = partition.Op{Code: kvs.Get, Key: s.key[:], Hash: s.hash}
				from[n] = i
				next[c]++
				n++
			}
		}
		core.Execute(ops[:n], out)
		for k := range n {
			a := &answers[from[k]]
			found := uint64(0)
			if ops[k].Status == kvs.OK {
				found = 1
				a.value = [32]byte(ops[k].Value)
			}
			order.Store64(&a.ready, slots[from[k]].ready<<1|found)
		}
	}
}

// TestWorkersKeepTheirThreads checks that a worker reports the CPU time of one thread, even if it
// is not pinned. So the time never falls.
func TestWorkersKeepTheirThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	s := startServer(t, testConfig())
	stop := make(chan struct{})
	defer close(stop)
	for range 4 { // would take the threads that the workers yield
		go disturb(stop)
	}
	var before kvs.Stats
	for range 200 {
		now := must.Get(s.Stats())(t)
		for i := range before.Workers {
			if was, is := before.Workers[i].CPUNs, now.Workers[i].CPUNs; is < was {
				t.Fatalf("worker %d has used %d ns of CPU time, and before it was %d", i, is, was)
			}
		}
		before = now
		time.Sleep(time.Millisecond)
	}
}

// disturb keeps a thread busy half of the time.
func disturb(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Microsecond):
		}
		for end := time.Now().Add(50 * time.Microsecond); time.Now().Before(end); {
		}
	}
}
