package pipetest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/sockets"
)

// benchBatch is the study's batch size.
const benchBatch = 64

// Bench measures a session's cost to its client, without waiting for a server. The other end only
// counts the bytes of a batch of GETs and has the answers ready, so the client is the bottleneck.
// The client's CPU time includes the kernel's on its side. Compare it with the cost of a real
// server of the protocol.
func Bench(b *testing.B, wire func() pipeline.Wire, answer []byte, connections int) {
	var key [8]byte
	w, frame := wire(), []byte(nil)
	request := kvs.Request{Op: kvs.Get, Key: key[:]}
	for range benchBatch {
		frame = w.Append(frame, &request)
	}
	addr := canned(b, len(w.End(frame)), bytes.Repeat(answer, benchBatch))
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
	done := make(chan error)
	go func() { done <- drive(b, s) }()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// Timeout is the time limit for a connection to this machine.
const Timeout = 5 * time.Second

// drive keeps the windows full, on a locked thread that ends with it.
func drive(b *testing.B, s kvs.Session) (err error) {
	cpus, err := cpu.Allowed()
	if err != nil {
		return err
	}
	if err := cpu.PinThread(slices.Max(cpus)); err != nil {
		return err
	}
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
				return err
			}
		}
		if answers, err = s.Poll(answers[:0], time.Second); err != nil {
			return err
		}
		got += len(answers)
	}
	b.ReportMetric(float64(cpu.ThreadNs()-begun)/float64(got), "client-cpu-ns/op")
	return nil
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
