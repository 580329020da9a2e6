package pipetest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/sockets"
	"dpukv/kvs/kvstest"
)

// benchBatch is the study's batch size.
const benchBatch = 64

// Bench measures a session's cost to its client, without waiting for a server. The other end only
// counts the bytes of a batch of GETs and has the answers ready, so the client is the bottleneck.
// The client's CPU time includes the kernel's on its side. Beside it stands the floor, in turns on
// the same thread: the same bytes to the same server, moved with bare system calls.
func Bench(b *testing.B, wire func() pipeline.Wire, answer []byte, connections int) {
	s, addr, frame := openCanned(b, wire, answer, connections)
	f := must.Get(newFloor(addr, frame, benchBatch*len(answer), connections))(b)
	defer f.close()
	done := make(chan error)
	go func() { done <- compare(b, s, f) }()
	must.Do(b, <-done)
}

// Subject is such a session without its floor.
func Subject(
	name string, wire func() pipeline.Wire, answer []byte, connections int,
) subject.Subject {
	return subject.Subject{
		Name: name, Kind: subject.Server, Figures: []string{"client"}, Batch: 16 * benchBatch,
		Start: func(tb testing.TB, _ bool) *subject.Running {
			s, _, _ := openCanned(tb, wire, answer, connections)
			d := driver{session: s}
			return &subject.Running{
				Do:   func(n int) error { return d.run(n / benchBatch) },
				Read: func() ([]int64, error) { return []int64{cpu.ThreadNs()}, nil },
			}
		},
	}
}

// openCanned opens a session with a server that has the answers ready. It also returns the server's
// address, and a batch of requests.
func openCanned(
	b testing.TB, wire func() pipeline.Wire, answer []byte, connections int,
) (s kvs.Session, addr string, frame []byte) {
	var key [8]byte
	w := wire()
	request := kvs.Request{Op: kvs.Get, Key: key[:]}
	for range benchBatch {
		frame = w.Append(frame, &request)
	}
	frame = w.End(frame)
	addr = canned(b, len(frame), bytes.Repeat(answer, benchBatch))
	s, err := pipeline.Open(
		pipeline.Target{
			Nodes:   pipeline.One(sockets.TCP(addr), 1),
			Timeout: Timeout, Wire: wire,
		},
		kvs.SessionOptions{Batch: benchBatch, Window: 1, Connections: connections})
	must.Do(b, err)
	b.Cleanup(func() { _ = s.Close() })
	return s, addr, frame
}

// Timeout is the time limit for a connection to this machine.
const Timeout = 5 * time.Second

// turnBatches is the number of batches that the session and its floor take turns with.
const turnBatches = 1024

// compare lets a session and its floor take turns, on a locked thread that ends with it.
func compare(b *testing.B, s kvs.Session, f *floor) error {
	cpus, err := cpu.Allowed()
	if err != nil {
		return err
	}
	if err := cpu.PinThread(slices.Max(cpus)); err != nil {
		return err
	}
	d := driver{session: s}
	var sessionNs, floorNs, ops int64
	b.ResetTimer()
	for ; ops < int64(b.N); ops += turnBatches * benchBatch {
		begun := cpu.ThreadNs()
		if err := d.run(turnBatches); err != nil {
			return err
		}
		between := cpu.ThreadNs()
		if err := f.run(turnBatches); err != nil {
			return err
		}
		sessionNs += between - begun
		floorNs += cpu.ThreadNs() - between
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(sessionNs)/float64(ops), "client-cpu-ns/op")
	b.ReportMetric(float64(floorNs)/float64(ops), "floor-cpu-ns/op")
	b.ReportMetric(float64(sessionNs)/float64(floorNs), "x-floor")
	return nil
}

// driver sends GETs of different keys.
type driver struct {
	session kvs.Session
	key     uint64
	answers []kvs.Answer
}

// run keeps the windows full until a number of batches has left, and returns with none in flight.
func (d *driver) run(batches int) (err error) {
	var key [8]byte
	request := kvs.Request{Op: kvs.Get, Key: key[:]}
	for left := batches * benchBatch; left > 0 || d.session.InFlight() > 0; {
		for ok := true; ok && left > 0; {
			binary.LittleEndian.PutUint64(key[:], d.key)
			if ok, err = d.session.Submit(&request); err != nil {
				return err
			}
			if ok {
				d.key++
				left--
			}
		}
		if d.answers, err = d.session.Poll(d.answers[:0], time.Second); err != nil {
			return err
		}
		subject.Spin(0, len(d.answers))
	}
	return nil
}

// canned sends the same answers for every batch of request bytes.
func canned(b testing.TB, request int, answer []byte) (addr string) {
	return kvstest.Listen(b, func(c net.Conn) {
		for in := make([]byte, request); ; {
			if _, err := io.ReadFull(c, in); err != nil {
				return
			}
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	})
}

// BenchWire measures the cost to encode one GET and to parse its answer, without a connection.
func BenchWire(b *testing.B, w pipeline.Wire, answer []byte) {
	request := kvs.Request{Op: kvs.Get, Key: []byte("12345678")}
	b.Run("append", func(b *testing.B) {
		frame := make([]byte, 0, 16<<10)
		for i := 0; i < b.N; i += benchBatch {
			frame = frame[:0]
			for range benchBatch {
				frame = w.Append(frame, &request)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		in := bytes.Repeat(answer, benchBatch)
		for i := 0; i < b.N; i += benchBatch {
			for at := 0; at < len(in); {
				o := must.Get(w.Read(in[at:], kvs.Get))(b)
				at += o.Bytes
			}
		}
	})
}
