package mica

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/mica/partition"

	"golang.org/x/sys/unix"
)

// eventsATurn is how many connections a worker hears of in one turn.
const eventsATurn = 256

// errStopped is how a worker ends that was asked to.
var errStopped = errors.New("stopped")

// worker is one thread with its partitions, its listener and its connections. All but the mailbox
// belongs to that thread.
type worker struct {
	server *Server
	number int
	kernel kernel
	mail   mailbox
	core   *partition.Core
	over   chan struct{} // closed when the thread has ended

	peers      []*peer // by slot; nil: free
	free       []int32 // slots
	generation int32
	parked     []*peer // have sent more than was looked at
	resumed    []*peer // parked ones whose turn it is
	asking     []*peer
	acceptor   acceptor

	events  []unix.EpollEvent
	in      []byte         // of one read
	ops     []partition.Op // of the frame in hand
	out     []byte         // answers of the turn in hand
	buffers buffers

	busy     bool // the last wait brought something
	restless bool // there is something to look at when the clock has ticked
	ticked   int64

	counters kvs.WorkerStats
	latest   *told
}

func newWorker(s *Server, number int, k kernel) *worker {
	w := &worker{
		server: s, number: number, kernel: k, core: s.table.Core(number),
		over:   make(chan struct{}),
		events: make([]unix.EpollEvent, eventsATurn),
		in:     make([]byte, readBytes),
		ops:    make([]partition.Op, MaxBatch),
		out:    make([]byte, 0, flushBytes+MaxFrameBytes),
	}
	w.mail.kernel = k
	w.acceptor.open(w)
	return w
}

// run is the worker's thread. It reports whether it could be pinned, and stays locked to its
// goroutine, so that it ends with it: nobody else gets a pinned thread.
func (w *worker) run(cpus []int, pinned chan<- error) {
	runtime.LockOSThread()
	var err error
	if len(cpus) > 0 {
		err = cpu.PinThread(cpus[w.number%len(cpus)])
	}
	pinned <- err
	for err == nil {
		err = w.turn()
	}
	err = errors.Join(err, w.close())
	close(w.over)
	if !errors.Is(err, errStopped) {
		w.server.ended(fmt.Errorf("worker %d: %w", w.number, err))
	}
}

// turn waits for something to do and does it: for each connection a bounded part.
func (w *worker) turn() error {
	n, err := w.kernel.wait(w.events, w.waitMs())
	switch {
	case err == unix.EINTR:
		n = 0
	case err != nil:
		return fmt.Errorf("epoll_wait: %w", err)
	}
	if w.busy = n > 0; !w.busy {
		runtime.Gosched() // before it sleeps in the kernel
	}
	for i := range w.events[:n] {
		if err := w.attend(&w.events[i]); err != nil {
			return err
		}
	}
	w.resume()
	w.tick()
	return nil
}

// waitMs is how long to wait. After work the worker looks once more before it sleeps.
func (w *worker) waitMs() int {
	switch {
	case w.busy || len(w.parked) > 0:
		return 0
	case len(w.asking) > 0:
		return int(gatherEvery.Milliseconds())
	case w.restless:
		return int(tick.Milliseconds())
	}
	return -1
}

func (w *worker) attend(e *unix.EpollEvent) error {
	switch e.Fd {
	case bellSlot:
		return w.read()
	case listenerSlot:
		return w.acceptor.accept()
	}
	if p := w.peers[e.Fd]; p != nil && p.mark.generation == e.Pad { // or it has ended since
		p.attend(e.Events)
	}
	return nil
}

// resume gives a turn to each connection that was not finished in the last.
func (w *worker) resume() {
	w.parked, w.resumed = w.resumed[:0], w.parked
	for _, p := range w.resumed {
		if p.parked = false; p.open() && !p.blocked() {
			p.serve(p.in)
		}
	}
}

// tick looks after everything that waits for the clock.
func (w *worker) tick() {
	if len(w.asking) > 0 {
		w.server.gathering.due(w.kernel.now())
		w.tell()
	}
	if !w.restless {
		return
	}
	now := w.kernel.now()
	if now-w.ticked < int64(tick) {
		return
	}
	w.ticked, w.restless = now, w.acceptor.tick()
	for _, p := range w.peers {
		if p != nil && p.tick(now) {
			w.restless = true
		}
	}
}

// read reads the mailbox.
func (w *worker) read() error {
	if err := w.kernel.hush(); err != nil {
		return err
	}
	l := w.mail.open()
	if l.stop {
		return errStopped
	}
	if l.told != nil {
		w.latest = l.told
		w.tell()
	}
	if l.report > 0 {
		w.server.gathering.report(w.number, w.snapshot())
	}
	return nil
}

// tell answers those asks that the latest gathering is new enough for.
func (w *worker) tell() {
	later := w.asking[:0]
	for _, p := range w.asking {
		switch {
		case !p.open() || p.leaving:
		case w.latest == nil || p.round > w.latest.round || p.blocked():
			later = append(later, p)
		default:
			p.round = 0
			w.out = append(w.out, control(kindStats, p.sequence, w.latest.text)...)
			if p.flush() {
				p.settle(false)
			}
		}
	}
	clear(w.asking[len(later):])
	w.asking = later
}

func (w *worker) snapshot() kvs.WorkerStats {
	s, p := w.counters, w.core.Stats()
	s.CPUNs = cpu.ThreadNs()
	s.Gets, s.Hits, s.Items, s.Evicted, s.Full = p.Gets, p.Hits, p.Items, p.Evicted, p.Full
	return s
}

// close ends all connections, and what the worker had opened.
func (w *worker) close() error {
	for _, p := range w.peers {
		if p != nil {
			p.end()
		}
	}
	w.acceptor.close()
	return w.mail.close()
}

// wait returns once the worker has ended.
func (w *worker) wait(ctx context.Context) error {
	select {
	case <-w.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("worker %d does not end", w.number)
	}
}
