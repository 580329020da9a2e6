package sidechannel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// Channel is one end. It is for one goroutine.
type Channel struct {
	conn net.Conn
	enc  *json.Encoder
	dec  *json.Decoder
}

// New makes a channel of a connection, which must hold at least what one [Swap] sends: no [net.Pipe].
func New(conn net.Conn) *Channel {
	return &Channel{conn, json.NewEncoder(conn), json.NewDecoder(conn)}
}

// Close hangs up.
func (c *Channel) Close() error { return c.conn.Close() }

// Send sends v.
func (c *Channel) Send(v any) error {
	if err := c.enc.Encode(v); err != nil {
		return fmt.Errorf("side channel to %s: %w", c.conn.RemoteAddr(), err)
	}
	return nil
}

// Receive waits for the peer's next value.
func (c *Channel) Receive(v any) error {
	if err := c.dec.Decode(v); err != nil {
		return fmt.Errorf("side channel from %s: %w", c.conn.RemoteAddr(), err)
	}
	return nil
}

// Await is Receive for the owner of a software device, which moves packets only inside calls: it
// calls progress over and over while it waits. After an error the channel is of no use.
func (c *Channel) Await(v any, progress func() error) error {
	done := make(chan error, 1)
	go func() { done <- c.Receive(v) }()
	for {
		select {
		case err := <-done:
			return err
		default:
		}
		if err := progress(); err != nil {
			// This ends the goroutine. The channel is of no use after it.
			err = errors.Join(err, c.conn.SetReadDeadline(time.Unix(1, 0)))
			<-done
			return err
		}
	}
}

// Swap sends mine and receives the peer's. Both sides call it at the same step, so it is a barrier too.
func Swap[T any](c *Channel, mine T) (theirs T, err error) {
	if err := c.Send(mine); err != nil {
		return theirs, err
	}
	return theirs, c.Receive(&theirs)
}

// SwapWith is Swap with progress made while it waits.
func SwapWith[T any](c *Channel, mine T, progress func() error) (theirs T, err error) {
	if err := c.Send(mine); err != nil {
		return theirs, err
	}
	return theirs, c.Await(&theirs, progress)
}
