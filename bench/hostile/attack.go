package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// attack is one kind of hostile client.
type attack struct {
	name string
	// client talks on a fresh connection until the server ends it, or the attack ends.
	client func(net.Conn, *attackRun) error
}

// attackRun is a running attack.
type attackRun struct {
	addr         string
	over         chan struct{}
	clients      sync.WaitGroup
	open, opened atomic.Int64
	held         atomic.Int64
	mu           sync.Mutex
	conns        map[net.Conn]struct{}
	ends         map[string]int
}

func runAttack(addr string, a attack, connections int) *attackRun {
	s := &attackRun{
		addr: addr, over: make(chan struct{}), conns: map[net.Conn]struct{}{},
		ends: map[string]int{},
	}
	for range connections {
		s.clients.Go(func() { s.connect(a) })
	}
	return s
}

// connect connects again each time that the server ends the connection.
func (s *attackRun) connect(a attack) {
	for !s.ended() {
		c, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err != nil {
			s.rest(100 * time.Millisecond)
			continue
		}
		s.opened.Add(1)
		s.held.Store(max(s.held.Load(), s.open.Add(1)))
		if s.keep(c) {
			s.note(a.client(c, s))
		}
		s.forget(c)
		s.open.Add(-1)
		s.rest(50 * time.Millisecond) // one CPU is the honest client's, too
	}
}

// note counts the reasons for which hostile clients ended. If no client of a kind was hostile,
// there was no attack.
func (s *attackRun) note(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[ports.ReplaceAllString(err.Error(), ":…")]++
}

// ports matches port numbers, which differ from connection to connection.
var ports = regexp.MustCompile(`:[0-9]{4,5}`)

// reasons are the most frequent reasons for which clients ended.
func (s *attackRun) reasons() (reasons []string) {
	const most = 5
	for _, why := range slices.SortedFunc(maps.Keys(s.ends), func(a, b string) int {
		return s.ends[b] - s.ends[a]
	}) {
		if len(reasons) == most {
			break
		}
		reasons = append(reasons, fmt.Sprintf("%s (%d times)", why, s.ends[why]))
	}
	return reasons
}

// keep records a connection, to close it when the attack ends.
func (s *attackRun) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	return !s.ended()
}

func (s *attackRun) forget(c net.Conn) {
	_ = c.Close() // it may be closed
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

func (s *attackRun) ended() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// rest waits, and returns false when the attack is over.
func (s *attackRun) rest(d time.Duration) bool {
	select {
	case <-s.over:
		return false
	case <-time.After(d):
		return true
	}
}

// stop ends the attack. It returns how many connections were open at once and how many were opened.
func (s *attackRun) stop() (held, opened int) {
	s.mu.Lock()
	close(s.over)
	for c := range s.conns {
		_ = c.Close() // its client ends
	}
	s.mu.Unlock()
	s.clients.Wait()
	return int(s.held.Load()), int(s.opened.Load())
}

// hold waits until the server ends the connection.
func (s *attackRun) hold(c net.Conn) error {
	for {
		if _, err := c.Read(make([]byte, 1)); err != nil {
			return err
		}
	}
}
