package bench

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/go-faster/city"
)

const (
	serverCPU = 0
	clientCPU = 1
)

// shape is the shape of a load over TCP.
type shape struct {
	keys, valueBytes, batch, connections int
}

// study is the study's load of MICA. The study leaves the number of keys open.
var study = shape{keys: keyCounts()[0], valueBytes: 8, batch: 64, connections: 4}

// drive keeps a window of one batch on every connection full of Gets, from one pinned thread. It
// neither hashes nor checks. It is the same for MICA and for the echo, and costs as little as
// possible.
func drive(b *testing.B, addr string, sh shape, server func() (cpuNs, ops int64)) {
	r := dial(b, addr)
	defer r.Close()
	onClient(b, r, sh, 1, func(s kvs.Session) error { return driveThread(b, s, sh, server) })
}

func driveThread(b *testing.B, s kvs.Session, sh shape, server func() (cpuNs, ops int64)) error {
	d := newDriver(s, sh)
	if err := d.cycle(min(200_000, b.N)); err != nil {
		return err
	}
	d.hist.Reset()
	d.hits = 0
	serverCPU0, serverOps0 := server()
	cpu0, wall0 := cpu.ThreadNs(), cpu.NowNs()
	b.ResetTimer()
	if err := d.cycle(b.N); err != nil {
		return err
	}
	wall, clientNs := cpu.NowNs()-wall0, cpu.ThreadNs()-cpu0
	serverCPU1, serverOps1 := server()
	b.ReportMetric(float64(serverCPU1-serverCPU0)/float64(serverOps1-serverOps0), "server-cpu-ns/op")
	b.ReportMetric(float64(clientNs)/float64(b.N), "client-cpu-ns/op")
	b.ReportMetric(1e3*float64(b.N)/float64(wall), "Mops")
	b.ReportMetric(float64(d.hist.ValueAtPercentile(50))/1e3, "p50-µs")
	b.ReportMetric(float64(d.hist.ValueAtPercentile(99))/1e3, "p99-µs")
	b.ReportMetric(100*float64(min(d.hits, b.N))/float64(b.N), "hit%")
	return nil
}

// driver sends Gets on a session, as fast as its window allows.
type driver struct {
	session  kvs.Session
	batch    int
	keys     *stream
	key      []byte
	hist     *hdrhistogram.Histogram // of batches
	answers  []kvs.Answer
	sent     int
	answered int
	hits     int
}

func newDriver(s kvs.Session, sh shape) *driver {
	return newDriverOf(s, sh.batch, 8, newStream(sh.keys))
}

func newDriverOf(s kvs.Session, batch, keyBytes int, keys *stream) *driver {
	return &driver{
		session: s, batch: batch, keys: keys, key: make([]byte, keyBytes),
		hist: hdrhistogram.New(1, int64(time.Minute), 3),
	}
}

// cycle goes on until n answers have come.
func (d *driver) cycle(n int) error {
	for got := 0; got < n; {
		if err := d.fill(); err != nil {
			return err
		}
		var err error
		if d.answers, err = d.session.Poll(d.answers[:0], time.Second); err != nil {
			return err
		}
		got += len(d.answers)
		d.answered += len(d.answers)
		subject.Spin(clientFigure, len(d.answers))
		for i := range d.answers {
			if d.answers[i].Status == kvs.OK {
				d.hits++
			}
		}
		for i := 0; i < len(d.answers); i += d.batch {
			d.hist.RecordValue(d.answers[i].ReceivedNs - d.answers[i].SentNs)
		}
	}
	return nil
}

// drain waits for the answers that are still to come.
func (d *driver) drain() (err error) {
	for d.session.InFlight() > 0 && err == nil {
		if err = d.session.Flush(); err == nil {
			d.answers, err = d.session.Poll(d.answers[:0], time.Second)
		}
	}
	return err
}

// fill submits Gets until the window is full.
func (d *driver) fill() error {
	req := kvs.Request{Op: kvs.Get, Key: d.key}
	for {
		binary.LittleEndian.PutUint64(d.key, d.keys.keys[d.sent%streamLen])
		req.Hash = d.keys.hashes[d.sent%streamLen]
		ok, err := d.session.Submit(&req)
		if err != nil || !ok {
			return err
		}
		d.sent++
	}
}

// beside measures MICA and the echo of the same bytes.
func beside(b *testing.B, sh shape) {
	b.Run("server=gnet-echo", func(b *testing.B) {
		e := must.Get(startEcho(sh.batch, sh.valueBytes, serverCPU))(b)
		defer e.close()
		drive(b, e.addr(), sh, func() (int64, int64) { return e.cpuNs.Load(), e.ops.Load() })
	})
	for _, mode := range []partition.Mode{partition.Cache, partition.Store} {
		b.Run("server=mica-"+mode.String(), func(b *testing.B) {
			s := startMica(b, mode, sh)
			preload(b, s.Addr(), sh)
			drive(b, s.Addr(), sh, func() (int64, int64) {
				st := must.Get(s.Stats())(b)
				return st.Workers[0].CPUNs, int64(st.Workers[0].Ops)
			})
		})
	}
}

// BenchmarkTCP is the server's cost beside that of an echo of the same bytes, with growing numbers
// of connections.
func BenchmarkTCP(b *testing.B) {
	for _, connections := range []int{1, 4, 16, 100, 1000} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			sh := study
			sh.connections = connections
			beside(b, sh)
		})
	}
}

// BenchmarkValueSize is the same with growing values. The bytes cause the cost.
func BenchmarkValueSize(b *testing.B) {
	for _, valueBytes := range []int{8, 64, 512, 4096, 32768, kvs.MaxValueBytes} {
		b.Run(fmt.Sprintf("value=%d", valueBytes), func(b *testing.B) {
			sh := study
			sh.valueBytes = valueBytes
			sh.keys = min(sh.keys, 1<<30/valueBytes)
			beside(b, sh)
		})
	}
}

func startMica(b *testing.B, mode partition.Mode, sh shape) *mica.Server {
	s := must.Get(mica.Start(mica.Config{
		Listen: "127.0.0.1:0", Workers: 1, PartitionsPerWorker: 1, Mode: mode, Items: sh.keys,
		LogBytes: partition.LogBytesFor(sh.keys, 8, sh.valueBytes, mode, 1), Hash: "city64", CPUs: []int{serverCPU},
	}))(b)
	b.Cleanup(func() { s.Close() })
	return s
}

func preload(b testing.TB, addr string, sh shape) {
	r := dial(b, addr)
	defer r.Close()
	s := must.Get(r.Open(kvs.SessionOptions{Batch: 64, Window: 4, Connections: 1}))(b)
	defer s.Close()
	must.Do(b, store(s, sh, make([]byte, 8), city.Hash64))
}

// store sets all keys.
func store(s kvs.Session, sh shape, key []byte, hash func(key []byte) uint64) error {
	set := kvs.Request{Op: kvs.Set, Key: key, Value: make([]byte, sh.valueBytes)}
	for k := 0; k < sh.keys || s.InFlight() > 0; {
		if k < sh.keys {
			binary.LittleEndian.PutUint64(key, uint64(k))
			set.Hash = hash(key)
			if taken, err := s.Submit(&set); err != nil {
				return err
			} else if taken {
				k++
				continue
			}
		} else if err := s.Flush(); err != nil {
			return err
		}
		if _, err := s.Poll(nil, time.Second); err != nil {
			return err
		}
	}
	return nil
}
