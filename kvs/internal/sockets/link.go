package sockets

import (
	"cmp"
	"fmt"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"

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

// wait waits for a link.
func (c *Conn[N]) wait(d time.Duration) error { return c.link.Wait(d) }

// pollLinks is Poll over links. A session has only links, or none.
func (s *Session[C]) pollLinks(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	had := len(answers)
	var w linkWait
	defer func() { s.shared.traffic.SpunNs += w.spent() }()
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
		if !w.due() {
			continue
		}
		left := wait - w.waited()
		if left <= 0 {
			return answers, nil
		}
		if err := w.rest(s.conns[0], left); err != nil {
			return answers, err
		}
	}
}

const (
	// linkSpin is how long a session spins before it yields at each turn. It is short, because
	// client threads on one CPU keep each other from receiving answers.
	linkSpin = 4 * time.Microsecond
	// linkYield is how long it yields before it naps. A nap may take twice as long as linkNap, so
	// only a long wait has one.
	linkYield = 100 * time.Microsecond
	linkNap   = 50 * time.Microsecond
	// linkTurns is the number of turns from one look at the clock to the next.
	linkTurns = 16
)

// linkWait is one wait of a session for answers over links.
type linkWait struct {
	turns          uint
	begunNs, nowNs int64 // 0 until the first look at the clock
	seenNs, spunNs int64 // end of the accounted time, and the part of it that went into turns
}

// due reports whether it is time to look at the clock, and looks.
func (w *linkWait) due() bool {
	if w.turns++; w.turns%linkTurns != 0 && w.waited() < linkSpin {
		return false
	}
	w.nowNs = cpu.NowNs()
	if w.begunNs == 0 {
		w.begunNs, w.seenNs = w.nowNs, w.nowNs
	}
	w.account(w.nowNs)
	return true
}

// account adds the time since the last look, unless the thread was preempted.
func (w *linkWait) account(now int64) {
	if turn := now - w.seenNs; turn < int64(cpu.Preempted) {
		w.spunNs += turn
	}
	w.seenNs = now
}

func (w *linkWait) waited() time.Duration { return time.Duration(w.nowNs - w.begunNs) }

// rest lets others have the CPU after enough spinning.
func (w *linkWait) rest(c interface{ wait(time.Duration) error }, left time.Duration) error {
	if w.waited() < linkSpin {
		return nil
	}
	err := c.wait(min(left, time.Millisecond))
	if w.waited() >= linkYield && left > 4*linkNap {
		nap := unix.NsecToTimespec(int64(linkNap))
		_ = unix.Nanosleep(&nap, nil) // a signal ends it early, which does no harm
	}
	w.seenNs = cpu.NowNs()
	return err
}

// spent returns the part of the wait that went into turns.
func (w *linkWait) spent() int64 {
	if w.begunNs != 0 {
		w.account(cpu.NowNs())
	}
	return w.spunNs
}
