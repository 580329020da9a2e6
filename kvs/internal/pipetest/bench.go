package pipetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/rawsocket"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/sockets"

	"golang.org/x/sys/unix"
)

// benchBatch is the study's batch size.
const benchBatch = 64

// Bench measures a session's cost to its client, without waiting for a server. The other end only
// counts the bytes of a batch of GETs and has the answers ready, so the client is the bottleneck.
// The client's CPU time includes the kernel's on its side. The floor is one write and one read for
// each batch, of the same bytes over as many connections, which nobody builds or parses.
func Bench(b *testing.B, wire func() pipeline.Wire, answer []byte, connections int) {
	var key [8]byte
	w, frame := wire(), []byte(nil)
	request := kvs.Request{Op: kvs.Get, Key: key[:]}
	for range benchBatch {
		frame = w.Append(frame, &request)
	}
	frame = w.End(frame)
	answers := bytes.Repeat(answer, benchBatch)
	addr := canned(b, len(frame), answers)
	floor, err := onThread(func() (float64, error) {
		return bare(addr, frame, len(answers), connections, b.N/benchBatch+1)
	})
	if err != nil {
		b.Fatal(err)
	}
	s, err := pipeline.Open(
		pipeline.Target{
			Nodes:   pipeline.One(sockets.TCP(addr), 1),
			Timeout: Timeout, Wire: wire,
		},
		kvs.SessionOptions{Batch: benchBatch, Window: 1, Connections: connections})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ns, err := onThread(func() (float64, error) { return drive(b, s) })
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ns, "client-cpu-ns/op")
	b.ReportMetric(floor, "floor-cpu-ns/op")
	b.ReportMetric(ns/floor, "x-floor")
}

// onThread calls do on a pinned thread that ends with it.
func onThread(do func() (float64, error)) (ns float64, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var cpus []int
		if cpus, err = cpu.Allowed(); err != nil {
			return
		}
		if err = cpu.PinThread(slices.Max(cpus)); err != nil {
			return
		}
		ns, err = do()
	}()
	<-done
	return ns, err
}

// bare returns the CPU time of an operation whose batch is one write and one read.
func bare(addr string, frame []byte, answer, connections, batches int) (ns float64, err error) {
	fds := make([]int, connections)
	for i := range fds {
		c, err := net.DialTimeout("tcp", addr, Timeout)
		if err != nil {
			return 0, err
		}
		if fds[i], err = rawsocket.TakeOver(c); err != nil {
			return 0, errors.Join(err, c.Close())
		}
		defer unix.Close(fds[i])
		if err := errors.Join(c.Close(), unix.SetNonblock(fds[i], false)); err != nil {
			return 0, err
		}
	}
	in := make([]byte, answer)
	begun := cpu.ThreadNs()
	for range batches/connections + 1 {
		for _, fd := range fds {
			if _, err := unix.Write(fd, frame); err != nil {
				return 0, err
			}
		}
		for _, fd := range fds {
			for left := in; len(left) > 0; {
				n, err := unix.Read(fd, left)
				if err != nil || n == 0 {
					return 0, errors.Join(err, io.ErrUnexpectedEOF)
				}
				left = left[n:]
			}
		}
	}
	ops := (batches/connections + 1) * connections * benchBatch
	return float64(cpu.ThreadNs()-begun) / float64(ops), nil
}

// Timeout is the time limit for a connection to this machine.
const Timeout = 5 * time.Second

// drive keeps the windows full. It returns the CPU time of an operation.
func drive(b *testing.B, s kvs.Session) (ns float64, err error) {
	var key [8]byte
	request := kvs.Request{Op: kvs.Get, Key: key[:]}
	var answers []kvs.Answer
	begun := cpu.ThreadNs()
	b.ResetTimer()
	got := 0
	for sent := uint64(0); got < b.N; {
		for ok := true; ok; sent++ {
			binary.LittleEndian.PutUint64(key[:], sent)
			if ok, err = s.Submit(&request); err != nil {
				return 0, err
			}
		}
		if answers, err = s.Poll(answers[:0], time.Second); err != nil {
			return 0, err
		}
		got += len(answers)
	}
	return float64(cpu.ThreadNs()-begun) / float64(got), nil
}

// canned sends the same answers for every batch of request bytes.
func canned(b *testing.B, request int, answer []byte) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
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
	})
	b.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr().String()
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
				o, err := w.Read(in[at:], kvs.Get)
				if err != nil {
					b.Fatal(err)
				}
				at += o.Bytes
			}
		}
	})
}
