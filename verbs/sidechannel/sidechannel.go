package sidechannel

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"dpukv/internal/foreign"

	"golang.org/x/sys/unix"
)

const (
	// DefaultLimit is the maximum length of a received value, in bytes.
	DefaultLimit = 64 << 10
	// DefaultTimeout is the time limit of one value, either way.
	DefaultTimeout = time.Minute

	readBytes = 4 << 10
)

// mostIdle is the number of turns without progress after which Await naps.
const mostIdle = 16

// GoneAfter is how long a peer is silent before AwaitEnd takes it for gone.
const GoneAfter = 10 * time.Second

// silence is how a channel finds a silent peer.
type silence struct {
	keepalive net.KeepAliveConfig
	after     time.Duration
}

var theSilence = silence{
	net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: time.Second, Count: 5},
	GoneAfter,
}

// watch lets the kernel find a silent peer. It sends keepalives only while no data waits for an
// acknowledgement. TCP would send such data again for many minutes.
func (s *silence) watch(tcp *net.TCPConn) error {
	if err := tcp.SetKeepAliveConfig(s.keepalive); err != nil {
		return err
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT,
			int(s.after.Milliseconds()))
	})
	return errors.Join(err, set)
}

// Channel is one end. It serves one goroutine.
type Channel struct {
	conn    net.Conn
	in      *bufio.Reader
	limit   int
	timeout time.Duration
}

// New makes a channel from a connection. The connection must buffer at least the bytes that one
// [Swap] sends: no [net.Pipe].
func New(conn net.Conn) *Channel {
	return &Channel{conn, bufio.NewReaderSize(conn, readBytes), DefaultLimit, DefaultTimeout}
}

// SetLimit sets the maximum length of received values from here on, in bytes.
func (c *Channel) SetLimit(bytes int) { c.limit = bytes }

// SetTimeout sets the time limit of each value from here on.
func (c *Channel) SetTimeout(d time.Duration) { c.timeout = d }

// Close closes the connection.
func (c *Channel) Close() error { return c.conn.Close() }

// Send sends v.
func (c *Channel) Send(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = c.conn.SetWriteDeadline(time.Now().Add(c.timeout))
	}
	if err == nil {
		_, err = c.conn.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("side channel to %s: %w", c.conn.RemoteAddr(), err)
	}
	return nil
}

// Receive waits for the peer's next value.
func (c *Channel) Receive(v any) error {
	if err := c.beginStep(); err != nil {
		return err
	}
	return c.read(v)
}

// beginStep starts the time limit of a step.
func (c *Channel) beginStep() error {
	if err := c.conn.SetReadDeadline(time.Now().Add(c.timeout)); err != nil {
		return fmt.Errorf("side channel from %s: %w", c.conn.RemoteAddr(), err)
	}
	return nil
}

func (c *Channel) read(v any) error {
	line, err := c.line()
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	if err != nil {
		return fmt.Errorf("side channel from %s: %w", c.conn.RemoteAddr(), err)
	}
	return nil
}

// line reads up to the end of a line. It never takes more memory than the limit.
func (c *Channel) line() ([]byte, error) {
	line, err := foreign.ReadLine(c.in, "a value", c.limit)
	switch {
	case foreign.Over(err):
		return nil, fmt.Errorf("%w; check that the peer is a dpukv of the same version", err)
	case err == io.EOF && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return line, err
}

// Await is Receive for the owner of a software device, which moves packets only inside calls: it
// calls progress repeatedly while it waits. While progress reports that it is not busy, Await lets
// others have the CPU: a value that has arrived is only seen by a scheduler that is not busy with
// pollers. After an error the channel is unusable.
func (c *Channel) Await(v any, progress func() (busy bool, err error)) error {
	return c.Expect(v).Await(progress)
}

// Expected is the next value of a peer, on its way while the caller does other things. Its caller
// calls Await or Cancel.
type Expected struct {
	channel *Channel
	arrived chan struct{}
	err     error
}

// Expect begins to receive the next value into v, without a time limit. Nothing else may receive
// until Await or Cancel has returned.
func (c *Channel) Expect(v any) *Expected {
	x := &Expected{channel: c, arrived: make(chan struct{})}
	err := c.conn.SetReadDeadline(time.Time{})
	go func() {
		defer close(x.arrived)
		if x.err = err; err == nil {
			x.err = c.read(v)
		}
	}()
	return x
}

// Look reports whether the value has arrived, or cannot: then there is an error.
func (x *Expected) Look() (bool, error) {
	select {
	case <-x.arrived:
		return true, x.err
	default:
		return false, nil
	}
}

// Await waits for the value, from here on with the time limit. It is [Channel.Await] otherwise.
func (x *Expected) Await(progress func() (busy bool, err error)) error {
	if err := x.channel.beginStep(); err != nil {
		return errors.Join(err, x.Cancel())
	}
	for idle := 0; ; idle++ {
		if arrived, err := x.Look(); arrived {
			return err
		}
		busy, err := progress()
		if err != nil {
			return errors.Join(err, x.Cancel())
		}
		if busy {
			idle = 0
		} else if idle >= mostIdle {
			x.nap()
		}
	}
}

// nap waits for the value for a short time.
func (x *Expected) nap() {
	const short = 50 * time.Microsecond
	select {
	case <-x.arrived:
	case <-time.After(short):
	}
}

// Cancel ends the wait for the value. The channel receives nothing after it.
func (x *Expected) Cancel() error {
	err := x.channel.conn.SetReadDeadline(time.Unix(1, 0))
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	<-x.arrived
	return err
}

// AwaitEnd waits without a time limit until the peer ends the channel, and returns how it ended.
// A peer that disappears without an end is gone after GoneAfter.
func (c *Channel) AwaitEnd() error {
	if tcp, ok := c.conn.(*net.TCPConn); ok {
		if err := theSilence.watch(tcp); err != nil {
			return fmt.Errorf("side channel from %s: %w", c.conn.RemoteAddr(), err)
		}
	}
	err := c.conn.SetReadDeadline(time.Time{})
	if err == nil {
		if _, err = c.in.ReadByte(); err == nil {
			err = errors.New("found a value, allowed: none after the last step")
		}
	}
	return fmt.Errorf("side channel from %s: %w", c.conn.RemoteAddr(), err)
}

// Swap sends mine and receives the peer's value. Both sides call it at the same step, so it is also
// a barrier.
func Swap[T any](c *Channel, mine T) (theirs T, err error) {
	if err := c.Send(mine); err != nil {
		return theirs, err
	}
	return theirs, c.Receive(&theirs)
}

// SwapWith is Swap that calls progress while it waits.
func SwapWith[T any](
	c *Channel, mine T, progress func() (busy bool, err error),
) (theirs T, err error) {
	if err := c.Send(mine); err != nil {
		return theirs, err
	}
	return theirs, c.Await(&theirs, progress)
}
