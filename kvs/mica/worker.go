package mica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/mica/partition"

	"github.com/panjf2000/gnet/v2"
	gneterrors "github.com/panjf2000/gnet/v2/pkg/errors"
	"golang.org/x/sys/unix"
)

const (
	readBytes = 256 << 10
	// flushBytes is how many bytes of answers a worker gathers before it
	// writes, even when its read brought more frames.
	flushBytes = 256 << 10
	// keepAlive is after how much silence a connection is asked whether its client is still there.
	keepAlive = time.Minute
)

// worker is one event loop. All that is not marked otherwise belongs to its thread.
type worker struct {
	gnet.BuiltinEventEngine
	server *Server
	number int
	cpus   []int
	most   int // connections
	core   *partition.Core

	ops []partition.Op // of the frame in hand
	out []byte         // answers of the read in hand

	counters kvs.WorkerStats
	pinned   bool
	pinErr   error // read after the first handshake, which comes after it

	// Set before any connection is open.
	engine gnet.Engine
	port   int
	booted chan error
	over   chan struct{} // closed when gnet has returned
	loop   chan gnet.EventLoop
}

func newWorker(s *Server, number int, cfg *Config) *worker {
	return &worker{
		server: s, number: number, cpus: cfg.CPUs, most: cfg.mostConnections, core: s.table.Core(number),
		ops:    make([]partition.Op, MaxBatch),
		out:    make([]byte, 0, flushBytes+MaxFrameBytes),
		booted: make(chan error, 1),
		over:   make(chan struct{}),
		loop:   make(chan gnet.EventLoop, 1),
	}
}

// start returns when the worker listens, or why it does not.
func (w *worker) start(addr string) error {
	go func() {
		err := gnet.Run(w, "tcp://"+addr,
			gnet.WithNumEventLoop(1), gnet.WithLockOSThread(true), gnet.WithTCPNoDelay(gnet.TCPNoDelay),
			gnet.WithReadBufferCap(readBytes), gnet.WithReuseAddr(true), // or connections of a server before would keep the port for a minute
			gnet.WithLogger(gnetLog{}))
		select {
		case w.booted <- err: // never listened
		default:
		}
		close(w.over)
		if err == nil {
			err = errors.New("ended")
		}
		w.server.ended(fmt.Errorf("worker %d: %w", w.number, err))
	}()
	return <-w.booted
}

// OnBoot runs before the loop does.
func (w *worker) OnBoot(engine gnet.Engine) gnet.Action {
	w.engine = engine
	port, err := listeningPort(engine)
	w.port = port
	w.booted <- err
	if err != nil {
		return gnet.Shutdown
	}
	return gnet.None
}

func listeningPort(engine gnet.Engine) (int, error) {
	fd, err := engine.Dup()
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	addr, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	switch a := addr.(type) {
	case *unix.SockaddrInet4:
		return a.Port, nil
	case *unix.SockaddrInet6:
		return a.Port, nil
	}
	return 0, fmt.Errorf("listening on %T", addr)
}

// stop asks the loop to end; over tells when it has.
func (w *worker) stop(ctx context.Context) error {
	select {
	case loop := <-w.loop:
		w.loop <- loop
		return loop.Execute(ctx, gnet.RunnableFunc(func(context.Context) error { return gneterrors.ErrEngineShutdown }))
	default: // never had a connection
		return w.engine.Stop(ctx)
	}
}

func (w *worker) wait(ctx context.Context) error {
	select {
	case <-w.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("worker %d does not end", w.number)
	}
}

// OnOpen runs on the worker's thread; the first time, it pins it.
func (w *worker) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	if !w.pinned {
		w.pinned = true
		if len(w.cpus) > 0 {
			w.pinErr = cpu.PinThread(w.cpus[w.number%len(w.cpus)])
		}
		w.loop <- c.EventLoop()
	}
	if w.counters.Connections++; int(w.counters.Connections) > w.most {
		return control(kindFailure, 0, fmt.Appendf(nil, "%d connections are all that worker %d takes, for the files that the server's process "+
			"may have open (ulimit -n): use fewer", w.most, w.number)), gnet.Close
	}
	// Not by gnet's option: that hides why a port can't be had.
	if err := c.SetKeepAlivePeriod(keepAlive); err != nil {
		return nil, gnet.Close
	}
	return nil, gnet.None
}

// OnClose counts.
func (w *worker) OnClose(gnet.Conn, error) gnet.Action {
	w.counters.Connections--
	return gnet.None
}

// OnTraffic answers all frames that are there whole. What gnet lends lives until Discard.
func (w *worker) OnTraffic(c gnet.Conn) gnet.Action {
	w.out = w.out[:0]
	for c.InboundBuffered() >= headerBytes {
		head, err := c.Peek(headerBytes)
		if err != nil {
			return gnet.Close
		}
		h, err := parseHeader(head)
		if err != nil {
			return w.refuse(c, err)
		}
		if c.InboundBuffered() < h.bytes {
			break
		}
		frame, err := c.Peek(h.bytes)
		if err != nil {
			return gnet.Close
		}
		if err := w.answer(c, h, frame[headerBytes:]); err != nil {
			return w.refuse(c, err)
		}
		if _, err := c.Discard(h.bytes); err != nil {
			return gnet.Close
		}
		if len(w.out) >= flushBytes && w.flush(c) != gnet.None {
			return gnet.Close
		}
	}
	return w.flush(c)
}

// flush sends what is gathered. A client whose backlog is too long is cut off.
func (w *worker) flush(c gnet.Conn) gnet.Action {
	if len(w.out) == 0 {
		return gnet.None
	}
	_, err := c.Write(w.out)
	w.out = w.out[:0]
	if err != nil {
		return gnet.Close
	}
	if c.OutboundBuffered() > MaxBacklogBytes {
		w.counters.BadFrames++
		return gnet.Close
	}
	return gnet.None
}

// answer does one frame.
func (w *worker) answer(c gnet.Conn, h header, body []byte) error {
	if h.kind == kindRequest && c.Context() != nil {
		ops, err := parseRequest(body, h.count, w.ops)
		if err != nil {
			return err
		}
		w.out = execute(w.core, h.sequence, ops, w.out)
		w.counters.Frames++
		w.counters.Ops += uint64(len(ops))
		return nil
	}
	return w.answerControl(c, h, body)
}

func (w *worker) answerControl(c gnet.Conn, h header, body []byte) error {
	switch {
	case h.kind == kindHello:
		text := w.server.welcome.Load()
		if string(body) != magic || text == nil {
			return fmt.Errorf("a hello of %d bytes: want %q, once the server has started", len(body), magic)
		}
		c.SetContext(greeted{})
		w.out = append(w.out, control(kindWelcome, h.sequence, *text)...)
		return nil
	case c.Context() == nil:
		return fmt.Errorf("a frame of kind %d before the hello", h.kind)
	case h.kind == kindAsk:
		go w.tell(c, h.sequence)
		return nil
	}
	return fmt.Errorf("a frame of kind %d", h.kind)
}

// greeted is the context of a connection that has said hello.
type greeted struct{}

// tell gathers the counters of all workers, for which it must not stand on any of their threads.
func (w *worker) tell(c gnet.Conn, sequence uint64) {
	frame := []byte(nil)
	if stats, err := w.server.Stats(); err != nil {
		frame = control(kindFailure, sequence, []byte(err.Error()))
	} else if text, err := json.Marshal(stats); err == nil {
		frame = control(kindStats, sequence, text)
	}
	_ = c.AsyncWrite(frame, nil) // the connection may be gone: then nobody waits for it
}

// refuse tells a client why its connection ends. What was answered before still goes out.
func (w *worker) refuse(c gnet.Conn, why error) gnet.Action {
	w.counters.BadFrames++
	_, _ = c.Write(append(w.out, control(kindFailure, 0, []byte(why.Error()))...)) // it is being closed anyway
	w.out = w.out[:0]
	return gnet.Close
}

// eventLoop is there, and the thread pinned, once a connection was opened.
func (w *worker) eventLoop() gnet.EventLoop {
	loop := <-w.loop
	w.loop <- loop
	return loop
}

// stats asks the worker's thread for its counters.
func (w *worker) stats() (kvs.WorkerStats, error) {
	got := make(chan kvs.WorkerStats, 1)
	err := w.eventLoop().Execute(context.Background(), gnet.RunnableFunc(func(context.Context) error {
		got <- w.snapshot()
		return nil
	}))
	if err != nil {
		return kvs.WorkerStats{}, err
	}
	select {
	case s := <-got:
		return s, nil
	case <-w.over:
		return kvs.WorkerStats{}, net.ErrClosed
	case <-w.server.done:
		return kvs.WorkerStats{}, net.ErrClosed
	}
}

func (w *worker) snapshot() kvs.WorkerStats {
	s, p := w.counters, w.core.Stats()
	s.CPUNs = cpu.ThreadNs()
	s.Gets, s.Hits, s.Items, s.Evicted, s.Full = p.Gets, p.Hits, p.Items, p.Evicted, p.Full
	return s
}
