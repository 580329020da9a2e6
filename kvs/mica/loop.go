package mica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/ports"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"
)

// system is the part of the system, beside gnet, that a worker uses. The simulation replaces it.
type system interface {
	now() int64
	// ring makes the loop read the wakeup, among its connections. Any thread may call it.
	ring()
	// finish sends the end of the stream on a connection.
	finish(fd int) error
}

// loop is a worker's gnet client: an event loop without a listener.
//
// Nothing uses gnet's own task queue (Wake, Execute, AsyncWrite). gnet empties it before it looks
// at connections again, so a task that queues itself again starves them. After the loop has ended,
// gnet wakes the queue through a descriptor that may be another file's.
type loop struct {
	client *gnet.Client
	wakeup int // one of a pair of sockets; the loop has the other. -1: see stayReadable
	over   <-chan struct{}
}

// startLoop returns once the loop's thread is pinned.
func (w *worker) startLoop() error {
	client, err := gnet.NewClient(w,
		gnet.WithNumEventLoop(1), gnet.WithLockOSThread(true), gnet.WithLogger(gnetLog{}),
		gnet.WithReadBufferCap(readBytes), gnet.WithWriteBufferCap(ringBytes),
		gnet.WithTCPNoDelay(gnet.TCPDelay)) // handover.ready sets it before
	if err != nil {
		return err
	}
	ours, theirs, err := w.newWakeup()
	if err != nil {
		return err
	}
	l := &loop{client: client, wakeup: ours, over: w.ended}
	w.gnet, w.system, w.loop, w.mail.system = l, l, l, l
	if err := client.Start(); err != nil {
		return errors.Join(err, theirs.Close(), l.hangUp())
	}
	_, err = l.EnrollContext(theirs, wakeup{})
	if err == nil && !w.ready {
		err = errors.New("the event loop accepts no connections")
	}
	if err != nil {
		return errors.Join(err, l.stop(context.Background()), l.hangUp())
	}
	return nil
}

// newWakeup returns the wakeup for the loop, and the descriptor that rings it; -1: nothing needs
// to, because the worker polls.
func (w *worker) newWakeup() (ours int, theirs net.Conn, err error) {
	ours, theirs, err = pair()
	if err != nil || w.idle == nil {
		return ours, theirs, err
	}
	err = errors.Join(unix.Close(ours), stayReadable(theirs.(*net.UnixConn)))
	if err != nil {
		return -1, nil, errors.Join(err, theirs.Close())
	}
	return -1, theirs, nil
}

// pair returns two connected sockets.
func pair() (ours int, theirs net.Conn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC,
		0)
	if err != nil {
		return -1, nil, os.NewSyscallError("socketpair", err)
	}
	f := os.NewFile(uintptr(fds[1]), "wakeup")
	defer f.Close()
	if theirs, err = net.FileConn(f); err != nil {
		return -1, nil, errors.Join(err, unix.Close(fds[0]))
	}
	return fds[0], theirs, nil
}

// EnrollContext does not wait for a loop that has ended.
func (l *loop) EnrollContext(c net.Conn, context any) (gnet.Conn, error) {
	type result struct {
		c   gnet.Conn
		err error
	}
	done := make(chan result, 1)
	go func() {
		c, err := l.client.EnrollContext(c, context)
		done <- result{c, err}
	}()
	select {
	case r := <-done:
		return r.c, r.err
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *loop) now() int64 { return cpu.NowNs() }

func (l *loop) ring() {
	if l.wakeup < 0 {
		return // the loop reads the wakeup in each turn
	}
	_, _ = unix.Write(l.wakeup, []byte{0}) // a full socket wakes the loop anyway
}

func (l *loop) finish(fd int) error { return unix.Shutdown(fd, unix.SHUT_WR) }

// stop ends the loop and all its connections.
func (l *loop) stop(ctx context.Context) error {
	stopped := make(chan error, 1)
	go func() { stopped <- l.client.Stop() }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return errors.New("the event loop did not end")
	}
}

func (l *loop) hangUp() error {
	if l.wakeup < 0 {
		return nil
	}
	return unix.Close(l.wakeup)
}

// start returns when the worker listens on an address and serves. It returns an error if the worker
// can't.
func (w *worker) start(addr string) error {
	listener, err := ports.Listen(addr)
	if err != nil {
		return err
	}
	w.listener = listener
	h, err := w.newDoor(admission.Config{Spare: spare})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := w.startLoop(); err != nil {
		return errors.Join(err, w.door.Close())
	}
	go w.letIn(h)
	go func() {
		<-w.ended
		w.server.End(fmt.Errorf("worker %d: its event loop has ended", w.number))
	}()
	if w.pinErr != nil {
		return errors.Join(w.pinErr, w.close(context.Background()))
	}
	return nil
}

// spare opens a descriptor that is only there to be given up.
func spare() (io.Closer, error) { return os.Open(os.DevNull) }

// letIn runs the door.
func (w *worker) letIn(h *handover) {
	defer close(w.shut)
	err := w.door.Run()
	h.drop()
	if err != nil {
		w.server.End(fmt.Errorf("worker %d: %w", w.number, err))
	}
}

// close ends the door, then the loop with all its connections, then the wakeup. So none of them
// uses a descriptor that another has closed.
func (w *worker) close(ctx context.Context) error {
	err := w.door.Close()
	select {
	case <-w.shut:
	case <-ctx.Done():
		return fmt.Errorf("worker %d: its listener did not close", w.number)
	}
	if err := w.gnet.stop(ctx); err != nil {
		return fmt.Errorf("worker %d: %w", w.number, err)
	}
	return errors.Join(err, w.mail.close(w.gnet.hangUp))
}

// gnetLog passes on gnet's complaints, and drops the rest.
type gnetLog struct{}

func (gnetLog) Debugf(string, ...any) {}
func (gnetLog) Infof(string, ...any)  {}
func (gnetLog) Warnf(string, ...any)  {}

func (gnetLog) Errorf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "mica: "+format+"\n", args...)
}

func (l gnetLog) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	os.Exit(1)
}
