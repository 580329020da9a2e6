package admission

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs/kvstest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a listener with scripted results. After the last one it is closed.
type script struct {
	says   []any // an error or a net.Conn
	closed bool
}

func (s *script) Accept() (net.Conn, error) {
	if len(s.says) == 0 {
		return nil, &net.OpError{Op: "accept", Err: net.ErrClosed}
	}
	said := s.says[0]
	s.says = s.says[1:]
	if err, ok := said.(error); ok {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
	}
	return said.(net.Conn), nil
}

func (s *script) Close() error   { s.closed = true; return nil }
func (s *script) Addr() net.Addr { return &net.TCPAddr{} }

// peer is a connection that keeps what it was told.
type peer struct {
	net.Conn
	told   strings.Builder
	closed bool
}

func (p *peer) SetWriteDeadline(time.Time) error { return nil }
func (p *peer) Write(b []byte) (int, error)      { return p.told.Write(b) }
func (p *peer) Close() error                     { p.closed = true; return nil }
func (p *peer) refused(reason string) bool {
	return p.closed && strings.Contains(p.told.String(), reason)
}
func refusal(why error) []byte                            { return []byte(why.Error()) }
func (s *slept) sleep(d time.Duration, _ <-chan struct{}) { *s = append(*s, d) }

type slept []time.Duration

// machine has a limited number of descriptors, for waiting connections and for other users.
type machine struct {
	free  int
	queue []*peer
}

func (m *machine) Accept() (net.Conn, error) {
	if len(m.queue) == 0 {
		return nil, net.ErrClosed
	}
	if _, err := m.open(); err != nil {
		return nil, os.NewSyscallError("accept4", err)
	}
	c := &taken{m.queue[0], m}
	m.queue = m.queue[1:]
	return c, nil
}

func (m *machine) Addr() net.Addr { return &net.TCPAddr{} }
func (m *machine) Close() error   { m.free++; return nil } // of what open gave

func (m *machine) open() (io.Closer, error) {
	if m.free == 0 {
		return nil, syscall.EMFILE
	}
	m.free--
	return m, nil
}

// taken is a connection that has a descriptor.
type taken struct {
	*peer
	machine *machine
}

func (c *taken) Close() error { c.machine.free++; return c.peer.Close() }

// TestErrnos checks that only errors of a missing listener end a door.
func TestErrnos(t *testing.T) {
	for _, test := range []struct {
		errno syscall.Errno
		waits int
		ends  bool
	}{
		{syscall.EMFILE, 1, false},
		{syscall.ENFILE, 1, false},
		{syscall.ENOBUFS, 1, false},
		{syscall.ENOMEM, 1, false},
		{syscall.EPERM, 1, false}, // a firewall's
		{syscall.ECONNABORTED, 0, false},
		{syscall.EPROTO, 0, false},
		{syscall.ENETDOWN, 0, false},
		{syscall.EBADF, 0, true},
		{syscall.EINVAL, 0, true},
	} {
		t.Run(test.errno.Error(), func(t *testing.T) {
			var pauses slept
			after := &peer{}
			served := 0
			says := []any{test.errno, after}
			if lacksDescriptors(test.errno) {
				says = append([]any{test.errno}, says...) // also with the spare one's
			}
			d := must.Get(New(&script{says: says}, Config{
				Most: 1, Serve: func(net.Conn, func()) { served++ }, Sleep: pauses.sleep,
			}))(t)
			err := d.Run()
			if (err != nil) != test.ends || (served == 1) == test.ends ||
				len(pauses) != test.waits {
				t.Errorf("ended with %v, served %d, waited %v", err, served, pauses)
			}
			if n := d.Counts().Failed; (n > 0) == test.ends {
				t.Errorf("%d failures counted", n)
			}
		})
	}
}

// TestPausesGrow checks that pauses grow up to a second, and start again after a connection.
func TestPausesGrow(t *testing.T) {
	var pauses slept
	var says []any
	for range 12 {
		says = append(says, syscall.ENOBUFS)
	}
	says = append(says, &peer{}, syscall.ENOBUFS)
	d := must.Get(New(&script{says: says}, Config{
		Most: 1, Serve: func(net.Conn, func()) {}, Sleep: pauses.sleep,
	}))(t)
	must.Do(t, d.Run())
	if pauses[0] != firstPause || pauses[1] != 2*firstPause ||
		pauses[11] != longestPause || pauses[12] != firstPause {
		t.Error(pauses)
	}
}

// TestLimit checks that a connection without a place receives the reason. A freed place serves the
// next connection, and no place is freed twice.
func TestLimit(t *testing.T) {
	peers := []*peer{{}, {}, {}, {}, {}}
	l := &script{}
	for _, p := range peers {
		l.says = append(l.says, p)
	}
	var leave []func()
	d := must.Get(New(l, Config{
		Most: 2, Refusal: refusal,
		Serve: func(_ net.Conn, done func()) { leave = append(leave, done) },
	}))(t)
	step := func() {
		must.Do(t, d.Step())
	}
	step()
	step()
	step()
	if !peers[2].refused("all 2 connections") || peers[1].closed {
		t.Errorf("%+v", peers)
	}
	leave[0]()
	leave[0]()
	step()
	step()
	if peers[3].closed || !peers[4].refused("all 2 connections") {
		t.Errorf("%+v", peers)
	}
	want := Counts{Open: 2, Highest: 2, Accepted: 3, Refused: 2}
	got := d.Counts()
	if got.lastRefusal = (time.Time{}); got != want {
		t.Errorf("%+v", got)
	}
	d.drop()
}

// TestSpare checks a lack of descriptors. The door accepts a connection with the spare's descriptor
// and sends it the reason. If another goroutine has taken that descriptor meanwhile, the connection
// waits.
func TestSpare(t *testing.T) {
	m := &machine{free: 1, queue: []*peer{{}, {}, {}}}
	first, second, third := m.queue[0], m.queue[1], m.queue[2]
	var pauses slept
	var served []net.Conn
	d := must.Get(New(m, Config{
		Most: 9, Serve: func(c net.Conn, _ func()) { served = append(served, c) }, Refusal: refusal,
		Spare: m.open, Sleep: pauses.sleep,
	}))(t)
	step := func() {
		t.Helper()
		must.Do(t, d.Step())
	}
	step()
	if !first.refused("no file descriptor left") || d.spare == nil || len(pauses) > 0 {
		t.Errorf("%+v, waited %v", first, pauses)
	}
	d.drop()
	m.free-- // somebody else was faster
	step()
	if second.closed || len(pauses) != 1 || d.spare != nil {
		t.Errorf("%+v, waited %v", second, pauses)
	}
	m.free++
	step()
	if !second.refused("no file descriptor left") || d.spare == nil {
		t.Errorf("%+v", second)
	}
	m.free++
	step()
	if third.closed || len(served) != 1 || d.spare == nil {
		t.Errorf("%+v", third)
	}
	got := d.Counts()
	if got.Refused != 2 || got.Accepted != 1 || got.Failed != 2 || len(got.Warnings(time.Time{})) != 2 {
		t.Errorf("%+v", got)
	}
	if warnings := got.Warnings(time.Now().Add(time.Hour)); len(warnings) != 0 {
		t.Errorf("of the past: %q", warnings)
	}
}

// TestNoDescriptors is the same with real descriptors. The process has none left, a client connects
// and receives the reason. The next client finds a server once there are descriptors again.
func TestNoDescriptors(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	var served sync.WaitGroup
	d := must.Get(New(l, Config{Most: 9, Refusal: refusal, Serve: func(c net.Conn, leave func()) {
		served.Add(1)
		go func() { _, _ = c.Write([]byte("served")); c.Close(); leave(); served.Done() }()
	}}))(t)
	ended := make(chan error)
	go func() { ended <- d.Run() }()
	dialer := kvstest.SpareSockets(t, 2)
	release := kvstest.Exhaust(t)
	if got := dialer.Hear(t, l.Addr().(*net.TCPAddr)); !strings.Contains(got, "no file descriptor left") {
		t.Errorf("without descriptors: %q", got)
	}
	release()
	if got := dialer.Hear(t, l.Addr().(*net.TCPAddr)); got != "served" {
		t.Errorf("with descriptors: %q", got)
	}
	must.Do(t, errors.Join(d.Close(), <-ended))
	served.Wait()
}

// TestFull checks that a connection without a place is refused, and that a place freed by
// [Config.Full] serves the next one.
func TestFull(t *testing.T) {
	a, b, c := &peer{}, &peer{}, &peer{}
	var leaves []func()
	d := must.Get(New(&script{says: []any{a, b, c}}, Config{
		Most: 1, Refusal: refusal,
		Serve: func(_ net.Conn, leave func()) { leaves = append(leaves, leave) },
		Full:  func() { leaves[0]() },
	}))(t)
	must.Do(t, d.Run())
	if !b.closed || a.closed || c.closed || len(leaves) != 2 {
		t.Errorf("closed: %v %v %v, %d were served; want the second refused", a.closed, b.closed, c.closed, len(leaves))
	}
}
