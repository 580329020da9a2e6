package mqueue

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/order"

	"golang.org/x/sys/unix"
)

// parts is the number of parts of a measurement. The fastest counts: other programs disturb it least.
const parts = 20

// benchBytes is the size of a request and of an answer.
const benchBytes = 32

// BenchmarkRoundTrip measures a request and its answer over shm. Its yardstick, in the same run, are
// two words of shared memory that two threads write in turn. Each row has both, and their ratio.
func BenchmarkRoundTrip(b *testing.B) {
	allowed, err := cpu.Allowed()
	if err != nil {
		b.Fatal(err)
	}
	first, last := allowed[0], allowed[len(allowed)-1]
	for _, way := range []Answers{Written, Read} {
		if first != last {
			b.Run("answers="+string(way)+"/cpus=2", func(b *testing.B) { compare(b, way, first, last) })
		}
		b.Run("answers="+string(way)+"/cpus=1", func(b *testing.B) { compare(b, way, first, first) })
	}
}

func compare(b *testing.B, way Answers, askerCPU, answererCPU int) {
	x := newBareOf(b, way, Shape{32, 64})
	yield := func() {}
	if askerCPU == answererCPU {
		yield = func() { _, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
	}
	bareNs, laneNs := math.Inf(1), math.Inf(1)
	n := max(b.N/parts, 1)
	for range parts {
		bareNs = min(bareNs, bareRoundTrips(b, n, askerCPU, answererCPU, yield))
		laneNs = min(laneNs, timed(b, n, askerCPU, answererCPU,
			func() { askOnce(x.mover, yield) }, func() { answerOnce(x.owner, yield) }))
	}
	b.ReportMetric(bareNs, "bare-ns/op")
	b.ReportMetric(laneNs, "lane-ns/op")
	b.ReportMetric(laneNs/bareNs, "lane/bare")
	b.ReportMetric(0, "ns/op")
}

func askOnce(e *End, yield func()) {
	_ = e.Slot()
	_ = e.Send(benchBytes, 0)
	for {
		if _, err := e.Poll(); err != nil {
			panic(err)
		}
		if _, ok := e.Receive(); ok {
			return
		}
		yield()
	}
}

func answerOnce(e *End, yield func()) {
	for {
		if _, err := e.Poll(); err != nil {
			panic(err)
		}
		if _, ok := e.Receive(); ok {
			break
		}
		yield()
	}
	_ = e.Slot()
	_ = e.Send(benchBytes, 0)
	_, _ = e.Poll()
}

// bareRoundTrips measures two words on lines of their own.
func bareRoundTrips(b *testing.B, rounds, askerCPU, answererCPU int, yield func()) float64 {
	memory, err := offheap.Alloc(4*lineBytes, offheap.Auto)
	if err != nil {
		b.Fatal(err)
	}
	defer memory.Free()
	asked := (*uint64)(unsafe.Pointer(&memory.Bytes()[0]))
	answered := (*uint64)(unsafe.Pointer(&memory.Bytes()[2*lineBytes]))
	n, m := uint64(0), uint64(0)
	return timed(b, rounds, askerCPU, answererCPU, func() {
		n++
		order.Store64(asked, n)
		for atomic.LoadUint64(answered) != n {
			yield()
		}
	}, func() {
		m++
		for atomic.LoadUint64(asked) != m {
			yield()
		}
		order.Store64(answered, m)
	})
}

// timed runs two sides on two threads, rounds times after some to warm up. It
// returns the time of a round.
func timed(b *testing.B, rounds, askerCPU, answererCPU int, ask, answer func()) (ns float64) {
	const warmup = 100
	var both sync.WaitGroup
	both.Go(func() {
		pin(b, answererCPU)
		for range warmup + rounds {
			answer()
		}
	})
	both.Go(func() {
		pin(b, askerCPU)
		for range warmup {
			ask()
		}
		begun := cpu.NowNs()
		for range rounds {
			ask()
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
