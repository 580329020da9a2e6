package rr

import (
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/rawsocket"

	"golang.org/x/sys/unix"
)

// poll bounds every wait of a thread, so that it soon notices an end or a new connection.
const poll = 20 * time.Millisecond

// peer is a client's connection after its hello. It belongs to one thread.
type peer struct {
	fd      int
	number  int // in its thread
	leave   func()
	message []byte
	at      int  // bytes of the message that came, or of the answer that left
	answers bool // the message is whole, its answer leaves
	blocked bool // the poller looks for room to send
	tick    int64
}

// receive takes a connection from the door. Its goroutine ends with the hello. If there are too
// many, the one that waits longest for its hello is displaced.
func (s *server) receive(c net.Conn, leave func()) {
	s.mu.Lock()
	s.greeting = append(s.greeting, c)
	if len(s.greeting)+len(s.peers) > s.connections+greetingMost {
		_ = s.greeting[0].Close() // its goroutine does the rest
		s.greeting = s.greeting[1:]
	}
	s.mu.Unlock()
	if s.stop.Load() {
		_ = c.Close() // Close may have looked already
	}
	s.running.Go(func() {
		p, err := s.greet(c)
		if err != nil {
			_ = c.SetDeadline(time.Time{}) // Tell never waits
			admission.Tell(c, refusal(err))
		}
		_ = c.Close() // a peer has a descriptor of its own
		if p == nil {
			leave()
			return
		}
		p.leave = leave
		s.seat(p)
	})
}

func (s *server) hangUpGreeting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.greeting {
		_ = c.Close() // its goroutine does the rest
	}
}

// greet reads a hello, and gives its client a place among the peers.
func (s *server) greet(c net.Conn) (*peer, error) {
	defer s.greeted(c)
	if err := c.SetDeadline(time.Now().Add(s.limits.hello)); err != nil {
		return nil, err
	}
	var hello [helloBytes]byte
	if n, err := io.ReadFull(c, hello[:]); err != nil {
		return nil, fmt.Errorf("hello: found %d bytes (%w), allowed: %d within %v", n, err,
			helloBytes, s.limits.hello)
	}
	if err := checkHello(&hello, s.bytes); err != nil {
		return nil, err
	}
	fd, err := rawsocket.TakeOver(c)
	if err != nil {
		return nil, err
	}
	p := &peer{fd: fd}
	if err := s.enter(p); err != nil {
		_ = unix.Close(fd) // nothing was written
		return nil, err
	}
	return p, nil
}

func (s *server) greeted(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.greeting = slices.DeleteFunc(s.greeting, func(other net.Conn) bool { return other == c })
}

// enter makes a connection a peer, unless there are as many as the task has.
func (s *server) enter(p *peer) error {
	if err := bounded(p.fd); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.peers) == s.connections {
		return fmt.Errorf("connections: found one more than %d, allowed: %d", s.connections,
			s.connections)
	}
	p.message = make([]byte, s.bytes)
	s.peers[p] = true
	return nil
}

// bounded makes a descriptor block, but not for longer than a poll.
func bounded(fd int) error {
	if err := unix.SetNonblock(fd, false); err != nil {
		return fmt.Errorf("make a socket block: %w", err)
	}
	limit := unix.NsecToTimeval(int64(poll))
	for _, option := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &limit); err != nil {
			return fmt.Errorf("limit a socket's wait: %w", err)
		}
	}
	return nil
}

// seat hands a peer to the thread with the fewest.
func (s *server) seat(p *peer) {
	s.mu.Lock()
	least := slices.MinFunc(s.threads, func(a, b *echoer) int { return a.seats - b.seats })
	least.seats++
	s.mu.Unlock()
	least.mail <- p // has room for all peers there may be
}

// leave ends a peer. Its thread calls it, or Close after the threads.
func (s *server) leave(p *peer) {
	s.mu.Lock()
	own := rawsocket.Packets(p.fd)
	s.gone.Sockets.Add(&own)
	delete(s.peers, p)
	_ = unix.Close(p.fd) // what was sent is sent
	s.mu.Unlock()
	if p.leave != nil {
		p.leave()
	}
}

func (s *server) leaveAll() {
	s.mu.Lock()
	var rest []*peer
	for p := range s.peers {
		rest = append(rest, p)
	}
	s.mu.Unlock()
	for _, p := range rest {
		s.leave(p)
	}
}
