package herd

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// passOps is how many requests a worker takes before it answers them: what the partition's pipeline
// holds.
const passOps = partition.Depth

// worker is one thread that polls slots, and owns one partition. All but jobs, stopping and over
// belongs to it.
type worker struct {
	server *Server
	number int
	core   *partition.Core
	cq     verbs.CQ
	ud     verbs.QP
	sink   verbs.AH // to ud itself
	out    verbs.MR // the values of answers: rounds of passes
	base   uintptr  // where out lies

	inboxes []*inbox
	turn    int // where the next pass starts
	scans   int
	passes  uint64

	ops  []partition.Op // of the pass in hand
	from []origin       // of each of ops
	answers
	inline  int  // bytes that a send takes at once
	inlined bool // every answer is

	counters kvs.WorkerStats
	pinned   bool

	jobs     chan func()
	stopped  atomic.Bool
	stopping chan struct{} // closed with stopped
	ended    chan struct{}
}

// origin is where an operation came from.
type origin struct {
	in       *inbox
	sequence uint32
}

func newWorker(s *Server, number int) (w *worker, err error) {
	w = &worker{
		server: s, number: number, core: s.table.Core(number),
		ops: make([]partition.Op, passOps), from: make([]origin, passOps),
		inline: inlineLimit(&s.port, s.maxValue),
		jobs:   make(chan func(), 1), stopping: make(chan struct{}), ended: make(chan struct{}),
	}
	if w.cq, err = s.device.CreateCQ(sendDepth); err != nil {
		return nil, err
	}
	w.ud, err = s.pd.CreateQP(verbs.QPConfig{
		Type: verbs.UD, SendCQ: w.cq, RecvCQ: w.cq, MaxSend: sendDepth, MaxInline: w.inline, QKey: randomKey(),
	})
	if err != nil {
		return nil, err
	}
	if err := w.ud.Connect(verbs.Endpoint{}); err != nil {
		return nil, err
	}
	if w.out, err = s.pd.AllocMR(outRounds*w.roundBytes(), verbs.LocalWrite); err != nil {
		return nil, err
	}
	w.base = uintptr(unsafe.Pointer(&w.out.Bytes()[0]))
	w.inlined = w.inline >= s.maxValue
	if w.sink, err = s.pd.CreateAH(w.ud.Local()); err != nil {
		return nil, err
	}
	w.sends = sends{
		qp: w.ud, cq: w.cq, device: s.device, depth: sendDepth - signalEvery,
		wrs: make([]verbs.SendWR, 0, 2*passOps), sendFailed: w.sendFailed,
		// An empty datagram to itself, which has no buffer for it.
		sink: &verbs.SendWR{
			Op: verbs.OpSendImm, AH: w.sink.Handle(), QPN: w.ud.Num(), QKey: w.ud.Local().QKey,
			Local: verbs.SGE{Addr: w.out.Addr(), LKey: w.out.LKey()},
		},
	}
	return w, nil
}

// start returns when the worker runs, pinned.
func (w *worker) start() error {
	started := make(chan error, 1)
	go func() {
		defer close(w.ended)
		err := w.pin()
		started <- err
		if err == nil {
			err = w.poll()
		}
		if err != nil {
			w.server.ended(fmt.Errorf("worker %d: %w", w.number, err))
		}
		w.serveJobs() // clients still leave
	}()
	return <-started
}

// pin gives the worker a thread of its own, whose CPU time it tells as its, and that thread a CPU.
func (w *worker) pin() error {
	runtime.LockOSThread()
	cpus := w.server.cfg.CPUs
	if len(cpus) == 0 {
		return nil
	}
	w.pinned = true
	return cpu.PinThread(cpus[w.number%len(cpus)])
}

// poll serves until the worker is stopped.
func (w *worker) poll() error {
	var idle idleness
	for {
		if w.stopped.Load() {
			return nil
		}
		switch busy, err := w.step(); {
		case err != nil:
			return err
		case busy:
			idle.reset()
		default:
			if err := idle.rest(w.server.device, w.pinned); err != nil {
				return err
			}
		}
	}
}

// step does what there is to do, once. It reports whether there was anything.
func (w *worker) step() (busy bool, err error) {
	if len(w.jobs) > 0 { // a look at the length is cheaper than a select
		(<-w.jobs)()
	}
	moved, err := w.server.device.Progress()
	if err != nil {
		return false, err
	}
	n, err := w.pass()
	return n > 0 || moved, err
}

// sendFailed ends the connection of the client whose answer can't be sent.
func (w *worker) sendFailed(number uint32, why error) bool {
	if number == 0 {
		return false // nobody's
	}
	w.server.clientFailures.add("answers to a client could not be sent, whose connection was ended", why)
	for _, in := range w.inboxes { // rare, and cheaper than to keep a map
		if in.client.number == number && !in.ending {
			w.endClient(in, fmt.Errorf("an answer could not be sent: %w", why))
		}
	}
	return true
}

// serveJobs does only what others ask of the worker's thread, until it is stopped.
func (w *worker) serveJobs() {
	for {
		select {
		case job := <-w.jobs:
			job()
		case <-w.stopping:
			return
		}
	}
}

// do has the worker's thread do a job, and waits. It is false if the worker has ended.
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

func (w *worker) stop() error {
	w.stopped.Store(true)
	close(w.stopping)
	<-w.ended
	return errors.Join(w.ud.Close(), w.sink.Close(), w.cq.Close(), w.out.Close())
}

func (w *worker) forget(in *inbox) {
	w.inboxes = slices.DeleteFunc(w.inboxes, func(x *inbox) bool { return x == in })
}

func (w *worker) snapshot() kvs.WorkerStats {
	s, p := w.counters, w.core.Stats()
	s.CPUNs = cpu.ThreadNs()
	s.Connections = uint64(len(w.inboxes))
	s.Gets, s.Hits, s.Items, s.Evicted, s.Full = p.Gets, p.Hits, p.Items, p.Evicted, p.Full
	return s
}
