package softroce

import "dpukv/verbs/softroce/udp"

import (
	"errors"
	"net/netip"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
	"dpukv/verbs"
)

const benchBatch = 32

// exchange handles one batch: one thread sends it, then another receives it on another CPU, as
// between machines.
type exchange struct {
	send, receive func() error
}

// thread runs functions on a thread of its own, on request, and sums up their CPU time.
type thread struct {
	turns chan struct{}
	done  chan error
	cpuNs int64
}

func startThread(b testing.TB, on, figure int, f func() error) *thread {
	w := &thread{turns: make(chan struct{}), done: make(chan error)}
	go func() {
		defer close(w.done)
		err := cpu.PinThread(on) // for good: the thread ends with the goroutine
		for range w.turns {
			start := cpu.ThreadNs()
			err = errors.Join(err, f())
			subject.Spin(figure, benchBatch)
			w.cpuNs += cpu.ThreadNs() - start
			w.done <- err
		}
	}()
	b.Cleanup(func() {
		close(w.turns)
		<-w.done
	})
	return w
}

// do has the thread run once.
func (w *thread) do() error {
	w.turns <- struct{}{}
	return <-w.done
}

// threads are a sender and a receiver, each on a CPU of its own, that take turns.
type threads struct{ sender, receiver *thread }

func startThreads(b testing.TB, x exchange) threads {
	allowed := must.Get(cpu.Allowed())(b)
	return threads{
		startThread(b, allowed[0], 0, x.send), startThread(b, allowed[len(allowed)-1], 1, x.receive),
	}
}

// run sends and receives a number of batches.
func (t *threads) run(batches int) error {
	for range batches {
		if err := errors.Join(t.sender.do(), t.receiver.do()); err != nil {
			return err
		}
	}
	return nil
}

// cost is the CPU time of an operation, and the system calls of a batch.
type cost struct{ sendNs, receiveNs, sendCalls, receiveCalls float64 }

// measure measures b.N operations.
func measure(b *testing.B, x exchange, syscalls func() (tx, rx uint64)) cost {
	b.Helper()
	t := startThreads(b, x)
	must.Do(b, t.run(100))
	tx0, rx0 := syscalls()
	t.sender.cpuNs, t.receiver.cpuNs = 0, 0
	b.ReportAllocs()
	b.ResetTimer()
	batches := (b.N + benchBatch - 1) / benchBatch
	must.Do(b, t.run(batches))
	tx, rx := syscalls()
	ops := float64(batches * benchBatch)
	return cost{
		float64(t.sender.cpuNs) / ops, float64(t.receiver.cpuNs) / ops,
		float64(tx-tx0) / float64(batches), float64(rx-rx0) / float64(batches),
	}
}

func (c *cost) report(b *testing.B, floor *cost) {
	b.ReportMetric(c.sendNs, "send-cpu-ns/op")
	b.ReportMetric(c.receiveNs, "receive-cpu-ns/op")
	b.ReportMetric(c.sendCalls, "send-syscalls/batch")
	b.ReportMetric(c.receiveCalls, "receive-syscalls/batch")
	b.ReportMetric(floor.sendNs, "udp-send-cpu-ns/op")
	b.ReportMetric(floor.receiveNs, "udp-receive-cpu-ns/op")
	b.ReportMetric(c.sendNs/floor.sendNs, "x-udp-send")
	b.ReportMetric(c.receiveNs/floor.receiveNs, "x-udp-receive")
}

func calls(a, b *device) func() (uint64, uint64) {
	return func() (uint64, uint64) {
		return a.counters[txSyscalls].Load(), b.counters[rxSyscalls].Load() + b.counters[rxEmpty].Load()
	}
}

// BenchmarkBatch compares the cost of HERD's batches with bare UDP with segmentation, for the same
// number of bytes, measured just before.
func BenchmarkBatch(b *testing.B) {
	for _, of := range []struct {
		name  string
		bytes int
		run   func(*testing.B) cost
	}{{"requests=32x50B/uc-write", 50, benchWrite}, {"answers=32x32B/ud-send", 32, benchDatagrams}} {
		b.Run(of.name, func(b *testing.B) {
			floor := benchBare(b, of.bytes)
			own := of.run(b)
			own.report(b, &floor)
		})
	}
}

// benchBare sends and receives a train of datagrams that nobody builds or parses.
func benchBare(b *testing.B, n int) cost {
	from := must.Get(udp.OpenSocket(netip.AddrPortFrom(testAddr(), verbs.RoCEPort), defaultSocketBuffers))(b)
	defer from.Close()
	dst := netip.AddrPortFrom(testAddr(), verbs.RoCEPort)
	to := must.Get(udp.OpenSocket(dst, defaultSocketBuffers))(b)
	defer to.Close()
	out, in := udp.NewMessages(1), udp.NewMessages(1)
	name := udp.Sockaddr(dst)
	out.SetBuffer(0, make([]byte, benchBatch*n))
	out.SetDestination(0, &name)
	out.SetSegment(0, n)
	in.SetBuffer(0, make([]byte, messageBytes))
	var tx, rx uint64
	return measure(b, exchange{
		send: func() error {
			tx++
			_, err := out.Send(from, 0, 1)
			return err
		},
		receive: func() error {
			for got := 0; got < benchBatch*n; got += in.Bytes(0) {
				rx++
				in.ReadyToReceive(0)
				if _, err := in.Receive(to); err != nil {
					return err
				}
			}
			return nil
		},
	}, func() (uint64, uint64) { return tx, rx })
}

func benchWrite(b *testing.B) cost {
	x, calls := writes(b)
	return measure(b, x, calls)
}

func benchDatagrams(b *testing.B) cost {
	x, calls := datagrams(b)
	return measure(b, x, calls)
}

// writes are HERD's requests, by WRITE. It also returns a count of system calls.
func writes(b testing.TB) (x exchange, syscalls func() (tx, rx uint64)) {
	a, z := pair(b, verbs.UC, Options{}, Options{})
	wrs := make([]verbs.SendWR, benchBatch)
	for i := range wrs {
		wrs[i] = a.write(0, 64*i, 50)
		wrs[i].Flags = verbs.Inline
	}
	received := &z.dev.counters[rxPackets]
	return exchange{
		send: func() error { _, err := a.qp.PostSend(wrs); return err },
		receive: func() error {
			for want := received.Load() + benchBatch; received.Load() < want; {
				if _, err := z.dev.Progress(); err != nil {
					return err
				}
			}
			return nil
		},
	}, calls(a.dev, z.dev)
}

// datagrams are HERD's answers, by SEND.
func datagrams(b testing.TB) (x exchange, syscalls func() (tx, rx uint64)) {
	a, z := pair(b, verbs.UD, Options{}, Options{})
	wrs, receives := make([]verbs.SendWR, benchBatch), make([]verbs.RecvWR, benchBatch)
	for i := range wrs {
		wrs[i] = a.send(0, 64*i, 32)
		wrs[i].Flags = verbs.Inline
		receives[i].Local = z.sge(128*i, verbs.GRHBytes+32)
	}
	if _, err := z.qp.PostRecv(receives); err != nil {
		b.Fatal(err)
	}
	wcs := make([]verbs.WC, benchBatch)
	return exchange{
		send: func() error { _, err := a.qp.PostSend(wrs); return err },
		receive: func() error {
			for got := 0; got < benchBatch; {
				n, err := z.recvCQ.Poll(wcs)
				if err != nil {
					return err
				}
				got += n
			}
			_, err := z.qp.PostRecv(receives)
			return err
		},
	}, calls(a.dev, z.dev)
}

// BenchmarkRead compares READs with WRITEs of the same bytes, both over a reliable connection.
func BenchmarkRead(b *testing.B) {
	written := benchReliable(b, verbs.OpWrite)
	read := benchReliable(b, verbs.OpRead)
	b.ReportMetric(read.sendNs, "client-cpu-ns/op")
	b.ReportMetric(read.receiveNs, "server-cpu-ns/op")
	b.ReportMetric(written.sendNs, "write-client-cpu-ns/op")
	b.ReportMetric(written.receiveNs, "write-server-cpu-ns/op")
	b.ReportMetric((read.sendNs+read.receiveNs)/(written.sendNs+written.receiveNs), "x-write")
}

// benchReliable posts lists of 512 B each, no longer than READs may be outstanding. The sender takes
// a list's completion before the next.
func benchReliable(b *testing.B, op verbs.SendOp) cost {
	const bytes = 512
	a, z := pair(b, verbs.RC, Options{}, Options{})
	wrs := make([]verbs.SendWR, maxReads)
	for i := range wrs {
		wrs[i] = a.write(0, bytes*i, bytes)
		wrs[i].Op, wrs[i].Flags = op, 0
	}
	wrs[maxReads-1].Flags = verbs.Signaled
	wcs, posted := make([]verbs.WC, 1), false
	completed := func() error {
		for n := 0; posted && n == 0; {
			var err error
			if n, err = a.sendCQ.Poll(wcs); err != nil {
				return err
			}
		}
		posted = true
		return nil
	}
	received := &z.dev.counters[rxPackets]
	c := measure(b, exchange{
		send: func() error {
			if err := completed(); err != nil {
				return err
			}
			_, err := a.qp.PostSend(wrs)
			return err
		},
		receive: func() error {
			for want := received.Load() + maxReads; received.Load() < want; {
				if _, err := z.dev.Progress(); err != nil {
					return err
				}
			}
			return nil
		},
	}, calls(a.dev, z.dev))
	const perOp = benchBatch / maxReads // measure counts benchBatch of them
	return cost{c.sendNs * perOp, c.receiveNs * perOp, c.sendCalls, c.receiveCalls}
}
