package sockets

import (
	"cmp"
	"fmt"
	"time"

	"dpukv/kvs"
	"dpukv/verbs/idle"

	"golang.org/x/sys/unix"
)

// Link carries a connection's batches in the place of a socket: each batch is one message, and so
// is its answer. Nothing wakes a thread that waits for a link, so the session polls.
type Link interface {
	// Send copies a batch. It returns false if there is no room before the next answer.
	Send(batch []byte) (bool, error)
	// Poll moves what it can without waiting.
	Poll() error
	// Next returns the next message that came. It is valid until the next Send. An error stays.
	Next() (message []byte, ok bool, err error)
	// Wait blocks until Poll may have something to do, at most for d. A link that cannot know
	// yields the CPU and returns.
	Wait(d time.Duration) error
	Close() error
}

// Attach makes a connection of a link to the server at an address.
func (c *Conn[N]) Attach(link Link, addr string, opts kvs.SessionOptions) {
	c.link, c.fd = link, -1
	c.prepare(addr, opts)
}

// sendLink sends the first batch that is not sent.
func (c *Conn[N]) sendLink() (int, error) {
	batch := c.Flight[c.unsent].Frame
	if taken, err := c.link.Send(batch); err != nil || !taken {
		return 0, cmp.Or(err, error(unix.EAGAIN))
	}
	return len(batch), nil
}

// readLink appends the messages that came. If it returns an error after messages, the next call
// returns it again.
func (c *Conn[N]) readLink() (n int, err error) {
	for {
		message, ok, err := c.link.Next()
		if err != nil && n == 0 {
			return 0, fmt.Errorf("receive from %s: %w", c.Addr, err)
		}
		if err != nil || !ok {
			c.shared.traffic.ReceivedBytes += uint64(n)
			return n, nil
		}
		c.makeRoom(c.To + len(message))
		c.To += copy(c.In[c.To:], message)
		n += len(message)
	}
}

// poll lets a link move messages, and sends batches that found no room before.
func (c *Conn[N]) poll() error {
	if err := c.link.Poll(); err != nil {
		return fmt.Errorf("%s: %w", c.Addr, err)
	}
	if c.blocked {
		return c.Push(kvs.NowNs())
	}
	return nil
}

// Wait waits for a link.
func (c *Conn[N]) Wait(d time.Duration) error { return c.link.Wait(d) }

// linkWait is how a session waits for links. Only a long wait naps.
var linkWait = idle.Policy{
	Spin: idle.AnswerSpin, Yield: 100 * time.Microsecond, Nap: 50 * time.Microsecond,
}

// pollLinks is Poll over links. A session has only links, or none.
func (s *Session[C]) pollLinks(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	had := len(answers)
	w := &s.waits
	w.Begin()
	for {
		var err error
		for _, c := range s.conns {
			if err = c.poll(); err != nil {
				return answers, err
			}
			if answers, err = s.receive(c, answers); err != nil {
				return answers, err
			}
		}
		if len(answers) > had || wait <= 0 {
			return answers, nil
		}
		if !w.Due() {
			continue
		}
		left := wait - w.Waited()
		if left <= 0 {
			return answers, nil
		}
		if err := w.Rest(s.conns[0], left); err != nil {
			return answers, err
		}
	}
}
