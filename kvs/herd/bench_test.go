package herd

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"dpukv/internal/cpu"
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

// BenchmarkSHM is HERD with one server core and one client core: clients × window, as shares of GETs.
func BenchmarkSHM(b *testing.B) {
	keys := newStream()
	for _, shape := range []struct{ clients, batch, window int }{{8, 32, 1}, {1, 32, 1}, {1, 8, 4}, {1, 1, 1}} {
		for _, gets := range []int{100, 50} {
			name := fmt.Sprintf("clients=%d/batch=%d/window=%d/get=%d", shape.clients, shape.batch, shape.window, gets)
			b.Run(name, func(b *testing.B) {
				benchmark(b, keys, kvs.SessionOptions{Batch: shape.batch, Window: shape.window, Connections: shape.clients}, gets)
			})
		}
	}
}

func benchmark(b *testing.B, keys *stream, opts kvs.SessionOptions, gets int) {
	// Two threads that never block, and one turn for everything else.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	server := startServer(b, Config{
		Listen: "127.0.0.1:0", Device: providerSHM, Workers: 1, Mode: partition.Cache, Items: benchKeys,
		LogBytes: partition.LogBytesFor(benchKeys, 16, 32, partition.Cache, 1), Hash: DefaultHash, CPUs: []int{serverCPU},
	})
	remote := dial(b, server)
	session := openTest(b, remote, opts)
	done := make(chan error)
	go func() { done <- drive(b, server, session, keys, gets) }()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// drive keeps the window full from one pinned thread. It neither hashes nor checks values: it is to cost little.
func drive(b *testing.B, server *Server, s kvs.Session, keys *stream, gets int) error {
	if err := cpu.PinThread(clientCPU); err != nil {
		return err
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
		return err
	}
	if err := cycle(load, min(100_000, b.N)); err != nil {
		return err
	}
	hist.Reset()
	hits, asked = 0, 0
	before, err := server.Stats()
	if err != nil {
		return err
	}
	cpu0, wall0 := cpu.ThreadNs(), cpu.NowNs()
	b.ResetTimer()
	if err := cycle(load, b.N); err != nil {
		return err
	}
	wall, clientNs := cpu.NowNs()-wall0, cpu.ThreadNs()-cpu0
	after, err := server.Stats()
	if err != nil {
		return err
	}
	n := float64(b.N)
	b.ReportMetric(float64(after.Workers[0].CPUNs-before.Workers[0].CPUNs)/n, "server-cpu-ns/op")
	b.ReportMetric(float64(clientNs)/n, "client-cpu-ns/op")
	b.ReportMetric(1e3*n/float64(wall), "Mops")
	b.ReportMetric(n/float64(after.Workers[0].Frames-before.Workers[0].Frames), "ops/pass")
	b.ReportMetric(float64(hist.ValueAtPercentile(50))/1e3, "p50-µs")
	b.ReportMetric(100*float64(hits)/float64(max(asked, 1)), "hit%")
	if t := s.Traffic(); t.Retries > 0 {
		b.ReportMetric(float64(t.Retries), "retries")
	}
	return nil
}
