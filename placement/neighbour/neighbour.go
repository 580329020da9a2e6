package neighbour

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
)

// Neighbour is the work of this process. It goes on until [Neighbour.Stop].
type Neighbour struct {
	kind    string
	cpus    []int
	threads []thread
	begin   chan struct{} // closed once all threads have their memory
	stop    atomic.Bool
	all     sync.WaitGroup
}

// thread is one pinned thread. Its count lies in a line of its own.
type thread struct {
	_   [LineBytes]byte
	ops atomic.Uint64
	_   [LineBytes]byte
	err error
}

// add counts operations. A thread is the only writer of its count.
func (t *thread) add(n uint64) { t.ops.Store(t.ops.Load() + n) }

// Start puts a thread to work on each CPU. It returns once all have their memory and are at work.
func Start(kind string, cpus []int) (*Neighbour, error) {
	if !slices.Contains(Kinds(), kind) {
		return nil, fmt.Errorf("neighbour: found %q, allowed: %s", kind,
			strings.Join(Kinds(), ", "))
	}
	if len(cpus) == 0 {
		return nil, errors.New("neighbour: found no CPU, allowed: one or more")
	}
	n := &Neighbour{
		kind: kind, cpus: cpus, threads: make([]thread, len(cpus)), begin: make(chan struct{}),
	}
	var ready sync.WaitGroup
	ready.Add(len(cpus))
	for i := range cpus {
		n.all.Go(func() { n.work(i, &ready) })
	}
	ready.Wait()
	if err := n.failed(); err != nil {
		n.stop.Store(true)
		close(n.begin)
		n.all.Wait()
		return nil, err
	}
	close(n.begin)
	return n, nil
}

// failed returns the errors of the threads that could not begin.
func (n *Neighbour) failed() error {
	var errs []error
	for i := range n.threads {
		if err := n.threads[i].err; err != nil {
			errs = append(errs, fmt.Errorf("neighbour %s on CPU %d: %w", n.kind, n.cpus[i], err))
		}
	}
	return errors.Join(errs...)
}

// work runs one thread from its pinning to the order to stop.
func (n *Neighbour) work(i int, ready *sync.WaitGroup) {
	runtime.LockOSThread() // it ends with the goroutine, whose thread stays pinned
	t := &n.threads[i]
	buffer, err := t.prepare(n.kind, n.cpus, i)
	t.err = err
	ready.Done()
	if err != nil {
		return
	}
	switch <-n.begin; n.kind {
	case CPU:
		t.calculate(&n.stop)
	case Cache:
		t.walk(buffer.words(), &n.stop)
	default:
		t.stream(buffer.floats(), &n.stop)
	}
	if n.kind != CPU {
		t.err = buffer.Free()
	}
}

// prepare pins the thread, and gives it memory if its kind needs some.
func (t *thread) prepare(kind string, cpus []int, i int) (buffer, error) {
	if err := cpu.PinThread(cpus[i]); err != nil || kind == CPU {
		return buffer{}, err
	}
	return allocate(kind, cpus)
}

// Count is what a neighbour did so far.
type Count struct {
	AtNs     int64  `json:"at_ns"` // by the clock of its process
	Ops      uint64 `json:"ops"`
	CPUNs    int64  `json:"cpu_ns"`   // of its process
	Switches int64  `json:"switches"` // how often the kernel took a CPU from one of its threads
}

// Count returns what the neighbour did so far.
func (n *Neighbour) Count() Count {
	c := Count{AtNs: cpu.NowNs(), CPUNs: cpu.ProcessNs()}
	for i := range n.threads {
		c.Ops += n.threads[i].ops.Load()
	}
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil { // it fails for no process
		c.Switches = used.Nivcsw
	}
	return c
}

// Rates are a neighbour's work over a time.
type Rates struct {
	Ops      float64 // operations a second
	Bytes    float64 // bytes read and written a second; 0: the kind touches no memory
	CPUShare float64 // CPU time of its process over the wall time of its CPUs
	Switches float64 // CPUs taken from it a second
}

// RatesOf returns the rates of a neighbour of a kind on so many CPUs, between two counts.
func RatesOf(kind string, cpus int, before, after *Count) (r Rates) {
	ns := float64(after.AtNs - before.AtNs)
	if ns <= 0 || cpus == 0 {
		return r
	}
	r.Ops = float64(after.Ops-before.Ops) / ns * 1e9
	if kind != CPU {
		r.Bytes = 2 * LineBytes * r.Ops
	}
	r.CPUShare = float64(after.CPUNs-before.CPUNs) / ns / float64(cpus)
	r.Switches = float64(after.Switches-before.Switches) / ns * 1e9
	return r
}

// Stop ends the work and frees the memory.
func (n *Neighbour) Stop() error {
	n.stop.Store(true)
	n.all.Wait()
	return n.failed()
}
