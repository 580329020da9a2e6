package admission

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// firstPause is the pause after a first Accept that found no descriptor or memory.
	firstPause = 5 * time.Millisecond
	// longestPause is the longest pause after many such failures in a row.
	longestPause = time.Second
)

// Config configures a door.
type Config struct {
	// Most is the maximum number of connections with a place.
	Most int
	// Serve takes over a connection that has a place, without waiting. It must have leave called
	// once, when everything that the connection held is free.
	Serve func(c net.Conn, leave func())
	// Full is called when a connection finds no place. Places that it frees go to later
	// connections. nil: nothing.
	Full func()
	// Refusal returns the bytes for a connection without a place, sent before it is closed. nil:
	// nothing.
	Refusal func(why error) []byte
	// Spare opens the spare descriptor. nil: the null device.
	Spare func() (io.Closer, error)
	// Sleep waits until stop is closed, at most for d. nil: by the clock.
	Sleep func(d time.Duration, stop <-chan struct{})
}

// Counts are a door's counters.
type Counts struct {
	Open     int    // have a place now
	Highest  int    // highest number of places in use
	Accepted uint64 // had a place
	Refused  uint64 // closed for lack of a place or a descriptor
	Failed   uint64 // failures of Accept that did not end the door
	LastErr  error  // the last such failure

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
	spare io.Closer // nil: given up, or not available
	pause time.Duration

	mu     sync.Mutex
	counts Counts
}

// New makes a door in front of a listener. The door closes the listener in the end.
func New(l net.Listener, cfg Config) (*Door, error) {
	if cfg.Most < 1 {
		return nil, fmt.Errorf("connections: found a limit of %d, allowed: 1 or more", cfg.Most)
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

// Run lets connections in until the door is closed. Then it returns nil; otherwise it returns the
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

// Step accepts once and handles the result. It returns only errors that end the door.
func (d *Door) Step() error {
	conn, err := d.listener.Accept()
	if err != nil && lacksDescriptors(err) && d.drop() {
		d.failed(err)
		conn, err = d.listener.Accept() // gets the spare's descriptor
	}
	if err != nil {
		return d.outlive(err)
	}
	d.pause = 0
	if err := d.reopen(); err != nil {
		d.refuse(conn, fmt.Errorf("the process of this server has no file descriptor left "+
			"(ulimit -n): %w", err))
		_ = d.reopen() // gets conn's descriptor; else the next Step tries again
		return nil
	}
	if !d.enter() {
		if d.cfg.Full != nil {
			d.cfg.Full()
		}
		d.refuse(conn, fmt.Errorf("all %d connections of this server are in use: use fewer, or "+
			"start it with more", d.cfg.Most))
		return nil
	}
	var once sync.Once
	d.cfg.Serve(conn, func() { once.Do(d.leave) })
	return nil
}

// drop closes the spare descriptor. It returns false if there is none.
func (d *Door) drop() bool {
	if d.spare == nil {
		return false
	}
	_ = d.spare.Close() // nothing was written
	d.spare = nil
	return true
}

// reopen opens the spare descriptor, unless it is open.
func (d *Door) reopen() (err error) {
	if d.spare != nil {
		return nil
	}
	spare, err := d.cfg.Spare()
	if err == nil {
		d.spare = spare
	}
	return err
}

// outlive returns an error that ends the door. For any other error it waits until it may have
// passed.
func (d *Door) outlive(err error) error {
	if fatal(err) {
		return err
	}
	d.failed(err)
	_ = d.reopen() // if not, the next Step tries again
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

// fatal reports whether an error means that there is no listener: it is closed, or never was one.
func fatal(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EBADF) ||
		errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSOCK)
}

// ofOneConnection reports whether an error concerns one connection in the queue, which Accept has
// removed from it.
func ofOneConnection(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && slices.Contains([]syscall.Errno{
		syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EPROTO, syscall.EINTR, syscall.ENONET,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
		syscall.ENOPROTOOPT,
	}, errno)
}

func (d *Door) failed(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Failed++
	d.counts.LastErr, d.counts.lastFailure = err, time.Now()
}

// enter takes a place. It returns false if there is none.
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

// refuse sends a connection the reason, and closes it.
func (d *Door) refuse(c net.Conn, why error) {
	if d.cfg.Refusal != nil {
		Tell(c, d.cfg.Refusal(why))
	}
	_ = c.Close() // nobody would read an error
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Refused++
	d.counts.lastRefusal = time.Now()
}

// Counts returns the door's counters.
func (d *Door) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

// Warnings describes refused connections and failed accepts, for display beside figures. It returns
// warnings if any have happened since a time, and then with total counts.
func (c *Counts) Warnings(since time.Time) (warnings []string) {
	if !c.lastRefusal.Before(since) && c.Refused > 0 {
		warnings = append(warnings, fmt.Sprintf("%d connections were refused: the limit, or the "+
			"process's file descriptors, were used up", c.Refused))
	}
	if !c.lastFailure.Before(since) && c.Failed > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"%d attempts to accept a connection failed, the last with: %v", c.Failed, c.LastErr))
	}
	return warnings
}

// Close closes the listener, which ends Run. Connections that have a place keep it.
func (d *Door) Close() error {
	d.stopOnce.Do(func() {
		close(d.stop)
		d.stopErr = d.listener.Close()
	})
	return d.stopErr
}

// Close closes a door, or a listener that has no door yet. Either may be nil.
func Close(d *Door, l net.Listener) error {
	switch {
	case d != nil:
		return d.Close()
	case l != nil:
		return l.Close()
	}
	return nil
}
