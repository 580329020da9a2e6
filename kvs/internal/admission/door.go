package admission

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// firstPause is how long a door waits after an Accept that found no descriptor or memory.
	firstPause = 5 * time.Millisecond
	// longestPause is the longest that it waits after many in a row.
	longestPause = time.Second
)

// Config is what a door is made with.
type Config struct {
	// Most is how many connections have a place at once.
	Most int
	// Serve takes over a connection that has a place, without waiting. It has leave called, once,
	// when all that the connection held is free.
	Serve func(c net.Conn, leave func())
	// Full is called when a connection finds no place: what it frees is the next one's. nil:
	// nothing.
	Full func()
	// Refusal is what a connection without a place is told before it is closed. nil: nothing.
	Refusal func(why error) []byte
	// Spare opens the spare descriptor. nil: the null device.
	Spare func() (io.Closer, error)
	// Sleep waits until stop is closed, at most so long. nil: by the clock.
	Sleep func(d time.Duration, stop <-chan struct{})
}

// Counts are what a door has done so far.
type Counts struct {
	Open     int    // have a place now
	Highest  int    // had a place at once, at most
	Accepted uint64 // had a place
	Refused  uint64 // were closed for want of a place or a descriptor
	Failed   uint64 // Accepts that failed without an end of the door
	LastErr  error  // the last of those

	lastRefusal, lastFailure time.Time
}

// Door lets connections in.
type Door struct {
	cfg      Config
	listener net.Listener
	stop     chan struct{}
	stopOnce sync.Once
	stopErr  error

	// These belong to Step.
	spare io.Closer // nil: given up, or not to be had
	pause time.Duration

	mu     sync.Mutex
	counts Counts
}

// New makes a door in front of a listener, which it closes in the end.
func New(l net.Listener, cfg Config) (*Door, error) {
	if cfg.Most < 1 {
		return nil, fmt.Errorf("found a limit of %d connections, allowed: 1 or more", cfg.Most)
	}
	if cfg.Spare == nil {
		cfg.Spare = func() (io.Closer, error) { return os.Open(os.DevNull) }
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	d := &Door{cfg: cfg, listener: l, stop: make(chan struct{})}
	var err error
	if d.spare, err = cfg.Spare(); err != nil {
		return nil, fmt.Errorf("keep a spare descriptor: %w", err)
	}
	return d, nil
}

func sleep(d time.Duration, stop <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-stop:
	}
}

// Run lets connections in until the door is closed: then it returns nil. Any other end has its
// reason.
func (d *Door) Run() error {
	defer d.drop()
	for {
		if err := d.Step(); err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			return fmt.Errorf("accept connections at %s: %w", d.listener.Addr(), err)
		}
	}
}

// Step accepts once, and does what follows from it. It returns the errors that end a door.
func (d *Door) Step() error {
	conn, err := d.listener.Accept()
	if err != nil && lacksDescriptors(err) && d.drop() {
		d.failed(err)
		conn, err = d.listener.Accept() // with the spare one's number
	}
	if err != nil {
		return d.outlive(err)
	}
	d.pause = 0
	if err := d.retake(); err != nil {
		d.refuse(conn, fmt.Errorf("this server's process has no file descriptor left "+
			"(ulimit -n): %w", err))
		_ = d.retake() // of the number that conn had; the next Step tries again
		return nil
	}
	if !d.enter() {
		if d.cfg.Full != nil {
			d.cfg.Full()
		}
		d.refuse(conn, fmt.Errorf("%d connections are all that this server takes", d.cfg.Most))
		return nil
	}
	var once sync.Once
	d.cfg.Serve(conn, func() { once.Do(d.leave) })
	return nil
}

// drop gives the spare descriptor up. It is false if there was none.
func (d *Door) drop() bool {
	if d.spare == nil {
		return false
	}
	_ = d.spare.Close() // nothing was written
	d.spare = nil
	return true
}

// retake sees to it that there is a spare descriptor.
func (d *Door) retake() (err error) {
	if d.spare != nil {
		return nil
	}
	spare, err := d.cfg.Spare()
	if err == nil {
		d.spare = spare
	}
	return err
}

// outlive returns an error that ends the door, and waits for the end of any other.
func (d *Door) outlive(err error) error {
	if fatal(err) {
		return err
	}
	d.failed(err)
	_ = d.retake() // if not, the next Step tries again
	if ofOneConnection(err) {
		return nil
	}
	d.pause = min(max(firstPause, 2*d.pause), longestPause)
	d.cfg.Sleep(d.pause, d.stop)
	return nil
}

func lacksDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// fatal errors say that there is no listener: closed, or never one.
func fatal(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EBADF) ||
		errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSOCK)
}

// ofOneConnection are errors of a connection in the queue, which Accept has taken out of it.
func ofOneConnection(err error) bool {
	for _, e := range []syscall.Errno{
		syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EPROTO, syscall.EINTR, syscall.ENONET,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
		syscall.ENOPROTOOPT,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (d *Door) failed(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Failed++
	d.counts.LastErr, d.counts.lastFailure = err, time.Now()
}

// enter takes a place. It is false if there is none.
func (d *Door) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.counts.Open == d.cfg.Most {
		return false
	}
	d.counts.Open++
	d.counts.Highest = max(d.counts.Highest, d.counts.Open)
	d.counts.Accepted++
	return true
}

func (d *Door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Open--
}

// refuse tells a connection why it can't stay.
func (d *Door) refuse(c net.Conn, why error) {
	if d.cfg.Refusal != nil {
		Tell(c, d.cfg.Refusal(why))
	}
	_ = c.Close() // there is nobody to tell
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Refused++
	d.counts.lastRefusal = time.Now()
}

// Counts are what the door has done so far.
func (d *Door) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

// Warnings are what should be known beside figures, in words: who stood at the door in vain. They
// are there if that happened since a time, and then count all.
func (c *Counts) Warnings(since time.Time) (doubts []string) {
	if !c.lastRefusal.Before(since) && c.Refused > 0 {
		doubts = append(doubts, fmt.Sprintf("%d connections were refused: "+
			"the limit, or the process's file descriptors, were used up", c.Refused))
	}
	if !c.lastFailure.Before(since) && c.Failed > 0 {
		doubts = append(doubts, fmt.Sprintf(
			"%d times no connection could be accepted, the last time: %v", c.Failed, c.LastErr))
	}
	return doubts
}

// Close closes the listener, which ends Run. Connections that have a place keep it.
func (d *Door) Close() error {
	d.stopOnce.Do(func() {
		close(d.stop)
		d.stopErr = d.listener.Close()
	})
	return d.stopErr
}
