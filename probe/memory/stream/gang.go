package stream

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
)

// gang are the threads. The first one leads: it numbers the passes. No other thread takes part, so
// that none needs a CPU of theirs.
type gang struct {
	config *Config
	loops  *loops
	n      int // elements of each array and thread
	parts  []part
	ready  sync.WaitGroup // all threads have their arrays
	failed atomic.Bool    // a thread has none
	_      [64]byte
	pass   atomic.Int64 // the one to make; over: there is none
	_      [64]byte

	took []time.Duration // by pass
}

// over ends the passes.
const over = -1

// part is one thread's share of a pass. The fields that others read lie in lines of their own.
type part struct {
	_        [64]byte
	done     atomic.Int64 // the last pass that it made
	from, to int64
	_        [64]byte
	pages    string
	a, b, c  []float64
}

// values are those of the arrays at first. None is zero: some processors store zeros faster.
const valueA, valueB, valueC = 2.0, 3.0, 4.0

// work is a thread's life.
func (g *gang) work(ctx context.Context, i int) (err error) {
	runtime.LockOSThread() // it ends with the goroutine, whose thread stays pinned
	region, err := g.prepare(i)
	if err != nil {
		g.failed.Store(true)
	} else {
		defer func() { err = errors.Join(err, region.Free()) }()
	}
	g.ready.Done()
	g.ready.Wait()
	switch {
	case g.failed.Load():
		return err
	case i == 0:
		g.lead(ctx)
	default:
		g.follow(i)
	}
	return g.check(i)
}

// prepare pins the thread and touches its arrays.
func (g *gang) prepare(i int) (*offheap.Region, error) {
	if err := cpu.PinThread(g.config.CPUs[i]); err != nil {
		return nil, err
	}
	region, err := offheap.Alloc(3*8*g.n, g.config.Pages)
	if err != nil {
		return nil, err
	}
	p := &g.parts[i]
	p.pages = region.Backing().String()
	all := unsafe.Slice((*float64)(unsafe.Pointer(&region.Bytes()[0])), 3*g.n)
	p.a, p.b, p.c = all[:g.n], all[g.n:2*g.n], all[2*g.n:]
	for j := range p.a {
		p.a[j], p.b[j], p.c[j] = valueA, valueB, valueC
	}
	return region, nil
}

// lead makes the passes of the warm-up, and then those that count.
func (g *gang) lead(ctx context.Context) {
	defer g.pass.Store(over)
	warm, number := time.Now().Add(g.config.Warmup), int64(0)
	pass := func() time.Duration {
		number++
		return g.all(number)
	}
	for pass(); time.Now().Before(warm) && ctx.Err() == nil; {
		pass()
	}
	end := time.Now().Add(g.config.Duration)
	if g.config.Began != nil {
		g.config.Began()
	}
	for ctx.Err() == nil && (len(g.took) < minPasses || time.Now().Before(end)) {
		g.took = append(g.took, pass())
	}
}

// all makes a pass on all threads. It takes from the first thread's begin to the last one's end.
func (g *gang) all(number int64) time.Duration {
	g.pass.Store(number)
	g.one(0, number)
	from, to := g.parts[0].from, g.parts[0].to
	for i := range g.parts {
		p := &g.parts[i]
		spin(func() bool { return p.done.Load() == number })
		from, to = min(from, p.from), max(to, p.to)
	}
	return time.Duration(max(to-from, 1))
}

// follow makes the passes that the leader numbers.
func (g *gang) follow(i int) {
	for last := int64(0); last != over; {
		before := last
		spin(func() bool {
			last = g.pass.Load()
			return last != before
		})
		if last != over {
			g.one(i, last)
		}
	}
}

// one makes a thread's share of a pass.
func (g *gang) one(i int, number int64) {
	p := &g.parts[i]
	p.from = cpu.NowNs()
	g.loops.run(g.config.Kernel, p.a, p.b, p.c)
	p.to = cpu.NowNs()
	p.done.Store(number)
}

// spin waits without sleep: a thread that the kernel wakes begins its pass late. It lets other
// goroutines run now and then, as there may be fewer CPUs than threads.
func spin(ready func() bool) {
	const spins = 1 << 14
	for n := 1; !ready(); n++ {
		if n%spins == 0 {
			runtime.Gosched()
		}
	}
}

// check compares a thread's arrays with what the kernel makes, as STREAM does.
func (g *gang) check(i int) error {
	a, b, c := valueA, valueB, valueC
	goLoops.run(g.config.Kernel, unsafe.Slice(&a, 1), unsafe.Slice(&b, 1), unsafe.Slice(&c, 1))
	p := &g.parts[i]
	for j := range p.a {
		if p.a[j] != a || p.b[j] != b || p.c[j] != c {
			return fmt.Errorf("%s on CPU %d: found %v, %v, %v in element %d, allowed: %v, %v, %v; "+
				"the memory or the processor fails: test the memory of this machine",
				g.config.Kernel, g.config.CPUs[i], p.a[j], p.b[j], p.c[j], j, a, b, c)
		}
	}
	return nil
}
