package stream

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
)

// Config is a measurement.
type Config struct {
	Kernel     Kernel
	Code       Code
	ArrayBytes int   // of each of the three arrays, all threads together
	CPUs       []int // a thread on each
	Pages      offheap.Pages
	Warmup     time.Duration
	Duration   time.Duration // at least [minPasses] passes are made
	Began      func()        // called once the warm-up is over; nil: nobody asks
}

// minPasses is the number of passes that STREAM makes by default.
const minPasses = 10

// Result is what was measured.
type Result struct {
	Best, Median float64 // bytes a second
	Passes       int
	ISA          string
	Pages        string // kind and size
	StartedAt    time.Time
	Took         time.Duration
}

// Bytes returns the memory that a measurement needs.
func (c *Config) Bytes() int { return 3 * c.ArrayBytes }

// Measure makes passes until the duration is over.
func Measure(ctx context.Context, c Config) (*Result, error) {
	g := gang{
		config: &c, loops: loopsOf(c.Code), n: c.ArrayBytes / 8 / len(c.CPUs),
		parts: make([]part, len(c.CPUs)),
	}
	var ready, all sync.WaitGroup
	ready.Add(len(c.CPUs))
	errs := make([]error, len(c.CPUs))
	for i := range c.CPUs {
		all.Go(func() { errs[i] = g.work(i, &ready) })
	}
	ready.Wait()
	res := g.lead(ctx)
	all.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	res.ISA, res.Pages = g.loops.name, g.parts[0].pages
	return res, nil
}

// gang are the threads. The leader, which is no thread of it, numbers the passes.
type gang struct {
	config *Config
	loops  *loops
	n      int // elements of each array and thread
	parts  []part
	pass   atomic.Int64 // the one to make; over: there is none
	failed atomic.Bool
}

// over ends the passes.
const over = -1

// part is one thread's share of a pass. Parts lie in lines of their own.
type part struct {
	done    atomic.Int64 // the last pass that it made
	from    int64
	to      int64
	pages   string
	_       [64]byte
	a, b, c []float64
}

// work is a thread's life.
func (g *gang) work(i int, ready *sync.WaitGroup) error {
	runtime.LockOSThread() // it ends with the thread, which stays pinned
	p := &g.parts[i]
	region, err := g.prepare(i)
	ready.Done()
	if err != nil {
		g.failed.Store(true)
		return err
	}
	for last := int64(0); ; {
		pass := g.pass.Load()
		if pass == over {
			return region.Free()
		}
		if pass == last {
			runtime.Gosched()
			continue
		}
		p.from = cpu.NowNs()
		g.loops.run(g.config.Kernel, p.a, p.b, p.c)
		p.to = cpu.NowNs()
		last = pass
		p.done.Store(pass)
	}
}

// prepare pins the thread and touches its arrays.
func (g *gang) prepare(i int) (*offheap.Region, error) {
	if err := cpu.PinThread(g.config.CPUs[i]); err != nil {
		return nil, err
	}
	p, bytes := &g.parts[i], max(g.n*8, 1)
	region, err := offheap.Alloc(3*bytes, g.config.Pages)
	if err != nil {
		return nil, err
	}
	p.pages = region.Backing().String()
	all := unsafe.Slice((*float64)(unsafe.Pointer(&region.Bytes()[0])), 3*g.n)
	p.a, p.b, p.c = all[:g.n], all[g.n:2*g.n], all[2*g.n:]
	for j := range p.a { // STREAM's values
		p.a[j], p.b[j], p.c[j] = 1, 2, 0
	}
	return region, nil
}

// lead makes the passes, and times each from the first thread's begin to the last one's end.
func (g *gang) lead(ctx context.Context) *Result {
	defer g.pass.Store(over)
	c := g.config
	warm := time.Now().Add(c.Warmup)
	number := int64(0)
	pass := func() time.Duration {
		number++
		g.pass.Store(number)
		return g.await(ctx, number)
	}
	for pass(); time.Now().Before(warm) && g.goesOn(ctx); {
		pass()
	}
	res := &Result{StartedAt: time.Now()}
	if c.Began != nil {
		c.Began()
	}
	var took []time.Duration
	for g.goesOn(ctx) && (len(took) < minPasses || time.Since(res.StartedAt) < c.Duration) {
		took = append(took, pass())
	}
	res.Took, res.Passes = time.Since(res.StartedAt), len(took)
	if len(took) > 0 {
		bytes := float64(g.n*len(g.parts)) * float64(c.Kernel.elementBytes())
		slices.Sort(took)
		res.Best = bytes / took[0].Seconds()
		res.Median = bytes / took[len(took)/2].Seconds()
	}
	return res
}

func (g *gang) goesOn(ctx context.Context) bool { return ctx.Err() == nil && !g.failed.Load() }

// await waits for all threads. The leader sleeps: it has no CPU of its own.
func (g *gang) await(ctx context.Context, pass int64) time.Duration {
	for i := range g.parts {
		for g.parts[i].done.Load() != pass && g.goesOn(ctx) {
			time.Sleep(20 * time.Microsecond)
		}
	}
	from, to := g.parts[0].from, g.parts[0].to
	for i := range g.parts {
		from, to = min(from, g.parts[i].from), max(to, g.parts[i].to)
	}
	return time.Duration(max(to-from, 1))
}

// Check refuses arrays that have no element for each thread.
func (c *Config) Check() error {
	if least := 8 * max(len(c.CPUs), 1); c.ArrayBytes < least {
		return fmt.Errorf("array_bytes: found %d, allowed: at least %d", c.ArrayBytes, least)
	}
	return nil
}
