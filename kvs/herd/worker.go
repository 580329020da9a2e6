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
	"dpukv/verbs/idle"
)

// passOps is the most requests that a worker takes before it answers them: the depth of the
// partition's pipeline.
const passOps = partition.Depth

// worker is one thread that polls slots and owns one partition. Other threads use only jobs,
// stopping and ended.
type worker struct {
	server *Server
	number int
	engine Engine
	cq     verbs.CQ
	ud     verbs.QP
	sink   verbs.AH // address handle of ud itself
	out    verbs.MR // the values of answers: rounds of passes
	base   uintptr  // where out lies

	inboxes []*inbox
	turn    int // start of the next pass
	scans   int
	passes  uint64
	seenNs  int64 // when the current pass saw its first request

	ops  []partition.Op // of the current pass
	from []origin       // of each of ops
	answers
	inline  int  // bytes that a send takes inline
	inlined bool // every answer fits inline

	counters kvs.WorkerStats
	pinned   bool
	idle     *idle.Idle

	jobs     chan func()
	stopped  atomic.Bool
	stopping chan struct{} // closed to stop the worker
	ended    chan struct{}
}

// origin tells where an operation came from.
type origin struct {
	in       *inbox
	sequence uint32
}

func newWorker(s *Server, number int) (w *worker, err error) {
	w = &worker{
		server: s, number: number, engine: s.engine(number),
		ops: make([]partition.Op, passOps), from: make([]origin, passOps),
		inline: min(s.port.MaxInline, s.maxValue),
		jobs:   make(chan func(), 1), stopping: make(chan struct{}), ended: make(chan struct{}),
	}
	if w.cq, err = s.device.CreateCQ(sendDepth); err != nil {
		return nil, err
	}
	w.ud, err = s.pd.CreateQP(verbs.QPConfig{
		Type: verbs.UD, SendCQ: w.cq, RecvCQ: w.cq, MaxSend: sendDepth, MaxInline: w.inline,
		QKey: randomKey(),
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
		// The sink is an empty datagram to the queue pair itself, which has no buffer for it.
		sink: &verbs.SendWR{
			Op: verbs.OpSendImm, AH: w.sink.Handle(), QPN: w.ud.Num(), QKey: w.ud.Local().QKey,
			Local: verbs.SGE{Addr: w.out.Addr(), LKey: w.out.LKey()},
		},
	}
	return w, nil
}

// start returns once the worker runs and is pinned.
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

// pin locks the worker to a thread, whose CPU time it reports, and pins that thread to a CPU.
func (w *worker) pin() error {
	runtime.LockOSThread()
	cpus := w.server.cfg.CPUs
	if len(cpus) == 0 {
		return nil
	}
	w.pinned = true
	return cpu.PinThread(cpus[w.number%len(cpus)])
}

// poll serves requests until the worker is stopped.
func (w *worker) poll() error {
	w.idle = idle.New(idle.Default, w.pinned)
	for {
		if w.stopped.Load() {
			return nil
		}
		switch busy, err := w.step(); {
		case err != nil:
			return err
		case busy:
			w.idle.Reset()
		default:
			if err := w.idle.Rest(w.server.device); err != nil {
				return err
			}
		}
	}
}

// step does the pending work once. It reports whether there was any.
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

// sendFailed ends the connection of a client whose answer could not be sent.
func (w *worker) sendFailed(number uint32, why error) bool {
	if number == 0 {
		return false // of no client
	}
	w.server.clientFailures.add("answers to a client could not be sent; its connection was ended",
		why)
	for _, in := range w.inboxes { // rare, so a scan is cheaper than a map
		if in.client.number == number && !in.ending {
			w.endClient(in, fmt.Errorf("an answer could not be sent: %w", why))
		}
	}
	return true
}

// serveJobs runs only other threads' jobs, until the worker is stopped.
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
	s, p := w.counters, w.engine.Stats()
	s.CPUNs = cpu.ThreadNs()
	if w.idle != nil {
		s.SpunNs = w.idle.SpunNs()
	}
	s.Connections = uint64(len(w.inboxes))
	s.Gets, s.Hits, s.Items, s.Evicted, s.Full = p.Gets, p.Hits, p.Items, p.Evicted, p.Full
	return s
}

// engine makes what executes the requests of a worker.
func (s *Server) engine(worker int) Engine {
	core := s.table.Core(worker)
	if x := s.cfg.Extension; x != nil {
		return x.Engine(worker, core)
	}
	return core
}
