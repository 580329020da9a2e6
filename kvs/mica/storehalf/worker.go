package storehalf

import (
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync/atomic"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
)

// worker is one thread that polls lanes and owns partitions. Other threads use only jobs, stopping
// and ended.
type worker struct {
	server *Server
	number int
	core   *partition.Core
	lanes  []*lane
	ops    []partition.Op
	idle   *idle.Idle

	counters kvs.WorkerStats
	jobs     chan func()
	stopped  atomic.Bool
	stopping chan struct{}
	ended    chan struct{}
}

// lane is a worker's end of a lane.
type lane struct {
	*mqueue.End
	request mqueue.Message // without an answer, if waiting
	waiting bool
	thread  int           // of the engine
	over    chan struct{} // closed when the worker has let go of it
	why     error         // set before
}

func newWorker(s *Server, number int) *worker {
	return &worker{
		server: s, number: number, core: s.table.Core(number),
		ops:  make([]partition.Op, mica.MaxBatch),
		idle: idle.New(s.wait, len(s.facts.CPUs) > 0),
		jobs: make(chan func(), 1), stopping: make(chan struct{}), ended: make(chan struct{}),
	}
}

// start returns once the worker runs and is pinned.
func (w *worker) start() error {
	started := make(chan error, 1)
	go func() {
		defer close(w.ended)
		runtime.LockOSThread()
		mica.ShortSleeps()
		var err error
		if cpus := w.server.facts.CPUs; len(cpus) > 0 {
			err = cpu.PinThread(cpus[w.number%len(cpus)])
		}
		started <- err
		if err != nil {
			return
		}
		if err := w.poll(); err != nil {
			w.server.End(fmt.Errorf("worker %d: %w", w.number, err))
		}
		for _, l := range w.lanes {
			w.release(l, net.ErrClosed)
		}
	}()
	return <-started
}

// poll serves requests until the worker is stopped.
func (w *worker) poll() error {
	for !w.stopped.Load() {
		if w.step() {
			w.idle.Reset()
		} else if err := w.idle.Rest(w.server.device); err != nil {
			return err
		}
	}
	return nil
}

// step does the pending work once. It reports whether there was any.
func (w *worker) step() (busy bool) {
	if len(w.jobs) > 0 { // a look at the length is cheaper than a select
		(<-w.jobs)()
	}
	for i := 0; i < len(w.lanes); i++ {
		did, err := w.serve(w.lanes[i])
		busy = busy || did
		if err != nil {
			w.release(w.lanes[i], err)
			w.lanes = slices.Delete(w.lanes, i, i+1)
			i--
		}
	}
	return busy
}

// atOnce is the most requests of a lane that a worker answers before it looks at its other lanes.
const atOnce = 8

// serve answers requests that a lane holds.
func (w *worker) serve(l *lane) (busy bool, err error) {
	if busy, err = l.Poll(); err != nil {
		return busy, err
	}
	answered := false
	for range atOnce {
		if !l.waiting {
			l.request, l.waiting = l.Receive()
		}
		slot := l.Slot()
		if !l.waiting || slot == nil { // the device may still read the slot
			break
		}
		if err := w.answer(l, slot); err != nil {
			return true, err
		}
		l.waiting, answered = false, true
	}
	if answered {
		_, err = l.Poll()
	}
	return busy || answered, err
}

// answer answers a lane's request.
func (w *worker) answer(l *lane, slot []byte) error {
	answer, ops, err := mica.Execute(w.core, l.request.Bytes, w.ops, slot[:0:len(slot)])
	code := mica.LaneAnswer
	if err != nil {
		w.counters.BadFrames++
		answer, code = slot[:copy(slot, err.Error())], mica.LaneFailure
	} else {
		w.counters.Frames++
		w.counters.Ops += uint64(ops)
	}
	return l.Send(len(answer), code)
}

// release gives a lane back to the connection that made it.
func (w *worker) release(l *lane, why error) {
	l.why = why
	close(l.over)
}

// do runs a job on the worker's thread, and waits. It returns false if the worker has ended.
func (w *worker) do(job func()) bool {
	done := make(chan struct{})
	select {
	case w.jobs <- func() { job(); close(done) }:
	case <-w.ended:
		return false
	}
	select {
	case <-done:
		return true
	case <-w.ended:
		return false
	}
}

func (w *worker) stop() {
	w.stopped.Store(true)
	<-w.ended
}

func (w *worker) snapshot() kvs.WorkerStats {
	s := w.counters
	s.CPUNs, s.SpunNs = cpu.ThreadNs(), w.idle.SpunNs()
	s.Connections = uint64(len(w.lanes))
	mica.CountItems(&s, w.core)
	return s
}
