package keeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Limits for a way to work, and for a try to be answered. A try takes longer than ARP, and less
// than TCP's first retransmission. A pause separates two tries, as some fail at once.
const (
	reachPatience = 10 * time.Second
	reachTry      = 500 * time.Millisecond
	reachPause    = 5 * time.Millisecond
)

// reach waits for an address to answer. Nobody listens there, so the answer is a reset: it proves
// both directions.
func (s *space) reach(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	return s.within(func() error {
		for {
			err := knock(ctx, address)
			if errors.Is(err, unix.ECONNREFUSED) {
				return nil
			}
			if ctx.Err() != nil {
				return fmt.Errorf("from %s, %s does not answer: %w", s.name, address, err)
			}
			time.Sleep(reachPause)
		}
	})
}

// knock tries the port tcpmux. Its socket belongs to the namespace of the calling thread, because a
// literal address is dialled on the caller's goroutine.
func knock(ctx context.Context, address string) error {
	d := net.Dialer{Timeout: reachTry}
	c, err := d.DialContext(ctx, "tcp4", net.JoinHostPort(address, "1"))
	if err == nil {
		c.Close()
		return errors.New("somebody listens there")
	}
	return err
}
