package onesided

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/provider"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	serverCPU  = 0
	clientCPU  = 1
	benchKeys  = 1 << 20
	streamBits = 18
)

type stream struct {
	keys   [1 << streamBits][KeyBytes]byte
	hashes [1 << streamBits]uint64
}

func newStream() *stream {
	s := &stream{}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range s.keys {
		binary.LittleEndian.PutUint64(s.keys[i][:], rng.Uint64N(benchKeys))
		s.hashes[i] = hashOf(s.keys[i][:])
	}
	return s
}

// run is what a load costs.
type run struct {
	mops, clientNs, serverNs, p50Ns, hits float64
}

// BenchmarkGET measures GETs of keys of 16 bytes with values of 32, with one server core and one
// client core, over shm. HERD is the yardstick, measured just before with the same keys: x-herd is
// HERD's throughput over this store's. A bare READ of as many bytes of the same table, with nothing
// checked, is the bound.
func BenchmarkGET(b *testing.B) {
	keys := newStream()
	for _, o := range []kvs.SessionOptions{
		{Batch: 32, Window: 1, Connections: 8},
		{Batch: 32, Window: 1, Connections: 1},
		{Batch: 1, Window: 1, Connections: 1},
	} {
		for _, places := range []int{4, DefaultNeighbourhood} {
			b.Run(fmt.Sprintf("clients=%d/batch=%d/neighbourhood=%d", o.Connections, o.Batch, places),
				func(b *testing.B) { compare(b, keys, o, places) })
		}
	}
}

func compare(b *testing.B, keys *stream, o kvs.SessionOptions, places int) {
	// Three threads that never block, and one for everything else. Each benchmark begins with the
	// number of CPUs.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	yardstick := drive(b, keys, o, startHERD(b))
	server := startOne(b, places)
	own := drive(b, keys, o, server)
	b.ReportMetric(own.mops, "Mops")
	b.ReportMetric(own.clientNs, "client-cpu-ns/op")
	b.ReportMetric(own.serverNs, "server-cpu-ns/op")
	b.ReportMetric(own.p50Ns/1e3, "p50-µs")
	b.ReportMetric(100*own.hits, "hit%")
	b.ReportMetric(yardstick.mops, "herd-Mops")
	b.ReportMetric(yardstick.clientNs, "herd-client-ns/op")
	b.ReportMetric(yardstick.serverNs, "herd-server-ns/op")
	b.ReportMetric(yardstick.p50Ns/1e3, "herd-p50-µs")
	b.ReportMetric(yardstick.mops/own.mops, "x-herd")
	b.ReportMetric(bare(b, keys, server, o.Batch), "bare-READ-ns/op")
}

// served is a server under the benchmark.
type served struct {
	server *herd.Server
	remote kvs.Remote
}

func startHERD(b *testing.B) *served {
	s := must.Keep(herd.Start(herd.Config{
		Listen: "127.0.0.1:0", Workers: 1, Mode: partition.Cache, Items: benchKeys,
		LogBytes: partition.LogBytesFor(benchKeys, 16, 32, partition.Cache, 1),
		Hash:     Store.Study.Hash, CPUs: []int{serverCPU},
	}))(b)
	return &served{s, must.Keep(herd.Dial(b.Context(), s.Addr(), herd.Options{}))(b)}
}

func startOne(b *testing.B, places int) *served {
	s := start(b, kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Items: benchKeys, KeyBytes: 16, ValueBytes: 32, MaxValueBytes: 32,
		Setup: kvs.Setup{Mode: "cache", Neighbourhood: places}, Hash: Store.Study.Hash, CPUs: []int{serverCPU},
	})
	return &served{s, dial(b, s.Addr())}
}

// drive keeps the window full from one pinned thread. It neither hashes nor checks values.
func drive(b *testing.B, keys *stream, o kvs.SessionOptions, s *served) (r run) {
	session := kvstest.Open(b, s.remote, o)
	done := make(chan error)
	go func() {
		err := cpu.PinThread(clientCPU)
		if err == nil {
			r, err = measure(b, keys, session, s)
		}
		done <- err
	}()
	must.Do(b, <-done)
	must.Do(b, session.Close())
	return r
}

func measure(b *testing.B, keys *stream, s kvs.Session, on *served) (r run, err error) {
	var key [KeyBytes]byte
	value := make([]byte, 32)
	fill := func(req *kvs.Request, i int) {
		binary.LittleEndian.PutUint64(key[:], uint64(i))
		req.Op, req.Key, req.Value, req.Hash = kvs.Set, key[:], value, hashOf(key[:])
	}
	get := func(req *kvs.Request, i int) {
		at := i & (1<<streamBits - 1)
		req.Op, req.Key, req.Hash = kvs.Get, keys.keys[at][:], keys.hashes[at]
	}
	if _, _, err = cycle(s, benchKeys, fill); err != nil {
		return r, err
	}
	if _, _, err = cycle(s, min(100_000, b.N), get); err != nil {
		return r, err
	}
	before, err := on.server.Stats()
	if err != nil {
		return r, err
	}
	cpu0, wall0 := cpu.ThreadNs(), cpu.NowNs()
	b.ResetTimer()
	b.StartTimer() // HERD's measurement has stopped it
	hits, hist, err := cycle(s, b.N, get)
	b.StopTimer()
	wall, used := cpu.NowNs()-wall0, cpu.ThreadNs()-cpu0
	if err != nil {
		return r, err
	}
	after, err := on.server.Stats()
	if err != nil {
		return r, err
	}
	n := float64(b.N)
	return run{
		mops: 1e3 * n / float64(wall), clientNs: float64(used) / n,
		serverNs: float64(after.Workers[0].CPUNs-before.Workers[0].CPUNs) / n,
		p50Ns:    float64(hist.ValueAtPercentile(50)), hits: float64(hits) / n,
	}, nil
}

func cycle(s kvs.Session, n int, next func(*kvs.Request, int)) (hits int, hist *hdrhistogram.Histogram, err error) {
	hist = hdrhistogram.New(1, int64(time.Minute), 3)
	var req kvs.Request
	var answers []kvs.Answer
	for sent, got := 0, 0; got < n; {
		for sent < n {
			next(&req, sent)
			ok, err := s.Submit(&req)
			if err != nil {
				return 0, nil, err
			}
			if !ok {
				break
			}
			sent++
		}
		if sent == n {
			if err := s.Flush(); err != nil {
				return 0, nil, err
			}
		}
		if answers, err = s.Poll(answers[:0], time.Second); err != nil {
			return 0, nil, err
		}
		if len(answers) == 0 {
			return 0, nil, errors.New("no answer within a second")
		}
		got += len(answers)
		sentNs := int64(0)
		for i := range answers {
			a := &answers[i]
			if a.Status == kvs.OK {
				hits++
			}
			if a.SentNs != sentNs {
				sentNs = a.SentNs
				_ = hist.RecordValue(a.ReceivedNs - sentNs)
			}
		}
	}
	return hits, hist, nil
}

// bare returns the client's CPU time of a READ of a neighbourhood, in lists, without a store.
func bare(b *testing.B, keys *stream, on *served, batch int) (ns float64) {
	d := must.Keep(provider.Open("shm", provider.Defaults))(b)
	pd := must.Get(d.AllocPD())(b)
	cq := must.Get(d.CreateCQ(256))(b)
	r := on.remote.(*Remote)
	x := &bareSession{b: b, pd: pd, cq: cq, device: d}
	s := must.Keep(r.OpenExtended(kvs.SessionOptions{Batch: batch, Window: 1, Connections: 1}, x))(b)
	l := x.lane
	wrs := make([]verbs.SendWR, batch)
	wcs := make([]verbs.WC, 16)
	done := make(chan error)
	go func() {
		err := cpu.PinThread(clientCPU)
		cpu0 := cpu.ThreadNs()
		for n := 0; n < b.N && err == nil; n += batch {
			for i := range wrs {
				home := l.Shape.home(keys.hashes[(n+i)&(1<<streamBits-1)])
				wrs[i] = l.read
				wrs[i].Remote = l.Region.Addr + uint64(home*itemBytes)
				wrs[i].Local.Addr = l.buffers.Addr() + uint64(i*l.stride)
				wrs[i].Local.Length = uint32(l.valuesAt)
			}
			wrs[batch-1].Flags = verbs.Signaled
			_, err = l.qp.PostSend(wrs)
			for got := 0; got == 0 && err == nil; {
				got, err = cq.Poll(wcs)
			}
		}
		ns = float64(cpu.ThreadNs()-cpu0) / float64(b.N)
		done <- err
	}()
	must.Do(b, <-done)
	must.Do(b, l.close())
	must.Do(b, s.Close())
	return ns
}

// bareSession only connects a lane.
type bareSession struct {
	b      *testing.B
	device verbs.Device
	pd     verbs.PD
	cq     verbs.CQ
	lane   *lane
}

func (x *bareSession) Ask() (any, error) {
	var err error
	x.lane, err = newLane(x.device, x.pd, x.cq,
		kvs.SessionOptions{Batch: 32, Window: 1, Connections: 1}, 1, 0)
	return question{QP: x.lane.qp.Local()}, err
}

func (x *bareSession) Granted(answer []byte) error {
	return x.lane.connect(x.pd, answer)
}

func (x *bareSession) Collect(a []kvs.Answer) ([]kvs.Answer, error) { return a, nil }
