package sidechannel

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

const (
	// DefaultLimit is the maximum length of a received value, in bytes.
	DefaultLimit = 64 << 10
	// DefaultTimeout is the time limit of one value, either way.
	DefaultTimeout = time.Minute

	readBytes = 4 << 10
)

// keepalive finds a silent peer within ten seconds.
var keepalive = net.KeepAliveConfig{
	Enable: true, Idle: 5 * time.Second, Interval: time.Second, Count: 5,
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
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		if len(line)+len(part) > c.limit {
			return nil, fmt.Errorf("found a value of more than %d bytes, allowed: at most that "+
				"many; check that the peer is a dpukv of the same version",
				c.limit)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case err == io.EOF && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// Await is Receive for the owner of a software device, which moves packets only inside calls: it
// calls progress repeatedly while it waits. After an error the channel is unusable.
func (c *Channel) Await(v any, progress func() error) error {
	if err := c.beginStep(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- c.read(v) }()
	for {
		select {
		case err := <-done:
			return err
		default:
		}
		if err := progress(); err != nil {
			// This ends the goroutine. The channel is unusable after it.
			err = errors.Join(err, c.conn.SetReadDeadline(time.Unix(1, 0)))
			<-done
			return err
		}
	}
}

// AwaitEnd waits without a time limit until the peer ends the channel, and returns how it ended.
// TCP keepalive finds a peer that disappears without an end.
func (c *Channel) AwaitEnd() error {
	if tcp, ok := c.conn.(*net.TCPConn); ok {
		if err := tcp.SetKeepAliveConfig(keepalive); err != nil {
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
func SwapWith[T any](c *Channel, mine T, progress func() error) (theirs T, err error) {
	if err := c.Send(mine); err != nil {
		return theirs, err
	}
	return theirs, c.Await(&theirs, progress)
}
