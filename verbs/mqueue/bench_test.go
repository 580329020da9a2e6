package mqueue

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/order"
	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

// parts is the number of parts of a measurement. The fastest counts: other programs disturb it least.
const parts = 20

// sizesOf are the bytes of a request and of its answer: a small one, and those of the study's batch
// of 64 GETs in MICA's frames.
var sizesOf = []struct{ request, answer int }{{32, 32}, {24 + 64*24, 24 + 64*10}}

// BenchmarkRoundTrip measures a request and its answer over shm. Its yardstick, in the same run, are
// two threads that write the same bytes and a word into shared memory in turn. Both read the first
// and the last byte. Each row has both, and their ratio. Its x-fenced is the time of a fenced lane
// over that of a lane without a fence.
func BenchmarkRoundTrip(b *testing.B) {
	allowed := must.Get(cpu.Allowed())(b)
	first, last := allowed[0], allowed[len(allowed)-1]
	for _, way := range []Answers{Written, Read} {
		for _, size := range sizesOf {
			name := fmt.Sprintf("answers=%s/bytes=%d-%d/cpus=", way, size.request, size.answer)
			p := pingPong{request: make([]byte, size.request), answer: make([]byte, size.answer)}
			if first != last {
				b.Run(name+"2", func(b *testing.B) { p.compare(b, way, first, last) })
			}
			b.Run(name+"1", func(b *testing.B) { p.compare(b, way, first, first) })
		}
	}
}

// pingPong has what the two sides write.
type pingPong struct {
	request, answer []byte
	yield           func()
}

// touch reads a message. Its messages are zeroes, which the compiler does not know.
func touch(p []byte) {
	if p[0]|p[len(p)-1] != 0 {
		panic("a message is not what was sent")
	}
}

func (p *pingPong) compare(b *testing.B, way Answers, requesterCPU, answererCPU int) {
	x := newBareOf(b, way, Shape{32, 2 << 10})
	p.yield = func() {}
	if requesterCPU == answererCPU {
		p.yield = func() { _, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
	}
	fenced := newBareOf(b, way, Shape{32, 2 << 10})
	fenced.mover.fenced, fenced.owner.fenced = true, true
	bareNs, laneNs, fencedNs := math.Inf(1), math.Inf(1), math.Inf(1)
	n := max(b.N/parts, 1)
	for range parts {
		bareNs = min(bareNs, p.bareRoundTrips(b, n, requesterCPU, answererCPU))
		laneNs = min(laneNs, timed(b, n, requesterCPU, answererCPU,
			func() { p.requestOnce(x.mover) }, func() { p.answerOnce(x.owner) }))
		fencedNs = min(fencedNs, timed(b, n, requesterCPU, answererCPU,
			func() { p.requestOnce(fenced.mover) }, func() { p.answerOnce(fenced.owner) }))
	}
	b.ReportMetric(bareNs, "bare-ns/op")
	b.ReportMetric(laneNs, "lane-ns/op")
	b.ReportMetric(laneNs/bareNs, "x-bare")
	b.ReportMetric(fencedNs/laneNs, "x-fenced")
	b.ReportMetric(0, "ns/op")
}

func (p *pingPong) requestOnce(e *End) {
	_ = e.Send(copy(e.Slot(), p.request), 0)
	p.await(e)
}

func (p *pingPong) answerOnce(e *End) {
	p.await(e)
	_ = e.Send(copy(e.Slot(), p.answer), 0)
	_, _ = e.Poll()
	for e.fenced && e.writer.rung < e.writer.posted { // the fence is on its way
		_, _ = e.Poll()
	}
}

func (p *pingPong) await(e *End) {
	for {
		if _, err := e.Poll(); err != nil {
			panic(err)
		}
		if m, ok := e.Receive(); ok {
			touch(m.Bytes)
			return
		}
		p.yield()
	}
}

// bareRoundTrips measures two messages in shared memory, each with a word on a line of its own.
func (p *pingPong) bareRoundTrips(b *testing.B, rounds, requesterCPU, answererCPU int) float64 {
	const room = 4 << 10
	memory := must.Get(offheap.Alloc(2*room, offheap.Auto))(b)
	defer memory.Free()
	word := func(at int) *uint64 { return (*uint64)(unsafe.Pointer(&memory.Bytes()[at])) }
	sent, answered := word(0), word(room)
	request := memory.Bytes()[lineBytes:][:len(p.request)]
	answer := memory.Bytes()[room+lineBytes:][:len(p.answer)]
	n, m := uint64(0), uint64(0)
	return timed(b, rounds, requesterCPU, answererCPU, func() {
		n++
		copy(request, p.request)
		order.Store64(sent, n)
		for atomic.LoadUint64(answered) != n {
			p.yield()
		}
		touch(answer)
	}, func() {
		m++
		for atomic.LoadUint64(sent) != m {
			p.yield()
		}
		touch(request)
		copy(answer, p.answer)
		order.Store64(answered, m)
	})
}

// timed runs two sides on two threads, rounds times after some to warm up. It
// returns the time of a round.
func timed(b *testing.B, rounds, requesterCPU, answererCPU int, request, answer func()) (ns float64) {
	const warmup = 100
	var both sync.WaitGroup
	both.Go(func() {
		pin(b, answererCPU)
		for range warmup + rounds {
			answer()
		}
	})
	both.Go(func() {
		pin(b, requesterCPU)
		for range warmup {
			request()
		}
		begun := cpu.NowNs()
		for range rounds {
			request()
		}
		ns = float64(cpu.NowNs()-begun) / float64(rounds)
	})
	both.Wait()
	return ns
}

func pin(b *testing.B, number int) {
	runtime.LockOSThread() // the thread ends with its goroutine
	if err := cpu.PinThread(number); err != nil {
		b.Error(err)
	}
}
