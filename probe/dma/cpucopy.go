package dma

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/probe"
)

// cpuWarning stands beside each figure of the engine cpu.
const cpuWarning = "engine cpu: a core copies, as no DMA engine does; take the figures as a " +
	"baseline"

func openCPU(t *probe.Task, m *memory) (engine, error) {
	op := t.Settings.Get("op")
	if t.Settings.Get("completion") == poll {
		return &copier{memory: m, op: op}, nil
	}
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("dma: eventfd: %w", err)
	}
	o := &otherThread{copier: copier{memory: m, op: op}, fd: fd, ended: make(chan error, 1)}
	ready := make(chan error)
	go o.run(t.CPUs, ready)
	if err := <-ready; err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return o, nil
}

// copier copies on the thread that posts. A posted copy is complete.
type copier struct {
	memory *memory
	op     string
	posted int
}

func (c *copier) post(i uint64) error {
	to, from := c.memory.ends(c.op, i)
	copy(to, from)
	c.posted++
	return nil
}

func (c *copier) reap() (int, error) {
	n := c.posted
	c.posted = 0
	return n, nil
}

func (c *copier) describe(o *probe.Outcome) {
	o.Facts["engine"] = "cpu"
	o.Facts["copied_by"] = "cpu copy"
	o.Warnings = append(o.Warnings, cpuWarning)
}

func (c *copier) close() error { return nil }

// otherThread copies on a thread of its own. That thread polls for copies, as an engine does, and
// wakes the initiator by an eventfd.
type otherThread struct {
	copier
	fd     int
	reaped uint64
	ended  chan error
	_      [cacheLine]byte // the threads write to different lines
	posted atomic.Uint64
	closed atomic.Bool
	_      [cacheLine]byte
	done   atomic.Uint64
	_      [cacheLine]byte
	queue  [maxBatch]uint64 // numbers of the copies, by order of submission
}

func (o *otherThread) post(i uint64) error {
	n := o.posted.Load()
	o.queue[n%maxBatch] = i
	o.posted.Store(n + 1)
	return nil
}

// reap sleeps in the kernel until the eventfd has a count.
func (o *otherThread) reap() (int, error) {
	var count [8]byte
	for {
		_, err := unix.Read(o.fd, count[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("dma: read of the eventfd: %w", err)
		}
		done := o.done.Load()
		if n := int(done - o.reaped); n > 0 {
			o.reaped = done
			return n, nil
		}
	}
}

// run copies what is posted. Copies that it finds together end with one event.
func (o *otherThread) run(cpus []int, ready chan<- error) {
	runtime.LockOSThread() // for good: the thread ends with the goroutine
	if len(cpus) > 1 {
		if err := cpu.PinThread(cpus[1]); err != nil {
			ready <- err
			return
		}
	}
	ready <- nil
	var done uint64
	for !o.closed.Load() {
		posted := o.posted.Load()
		if posted == done {
			continue
		}
		for ; done < posted; done++ {
			to, from := o.memory.ends(o.op, o.queue[done%maxBatch])
			copy(to, from)
			o.done.Store(done + 1)
		}
		if err := o.wake(); err != nil {
			o.ended <- err
			return
		}
	}
	o.ended <- nil
}

func (o *otherThread) wake() error {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	if _, err := unix.Write(o.fd, one[:]); err != nil {
		return fmt.Errorf("dma: write to the eventfd: %w", err)
	}
	return nil
}

func (o *otherThread) describe(out *probe.Outcome) {
	o.copier.describe(out)
	out.Warnings = append(out.Warnings,
		"core_share is of the initiator's thread: the thread that copies takes another core")
}

func (o *otherThread) close() error {
	o.closed.Store(true)
	return errors.Join(<-o.ended, unix.Close(o.fd))
}
