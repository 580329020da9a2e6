package sockets

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// echoConn is a connection of an echo protocol: the answer to a batch is the batch.
type echoConn struct{ Conn[int] }

func (c *echoConn) Send() error { return c.Launch() }

func (c *echoConn) Receive(answers []kvs.Answer) ([]kvs.Answer, error) {
	if n, err := c.Read(0); n == 0 {
		return answers, err
	}
	for len(c.Flight) > 0 && c.To-c.From >= len(c.Flight[0].Frame) {
		b := c.Flight[0]
		if got := c.In[c.From : c.From+len(b.Frame)]; !bytes.Equal(got, b.Frame) {
			return answers, fmt.Errorf("a batch of %d bytes came back as others", len(b.Frame))
		}
		c.From += len(b.Frame)
		for range b.Notes {
			answers = append(answers, kvs.Answer{})
		}
		if err := c.Retire(); err != nil {
			return answers, err
		}
	}
	return answers, nil
}

// echoSession has one group.
type echoSession struct {
	Session[*echoConn]
	group Group[*echoConn]
}

func newEchoSession(t *testing.T, addr string, workers int, opts kvs.SessionOptions) *echoSession {
	t.Helper()
	return dialEchoSession(t, TCP(addr), workers, opts)
}

func dialEchoSession(t *testing.T, p Peer, workers int, opts kvs.SessionOptions) *echoSession {
	t.Helper()
	s := &echoSession{group: NewGroup[*echoConn](workers, opts.KeepOrder)}
	must.Do(t, s.Init(opts, 1<<10))
	t.Cleanup(func() { s.Close() })
	for range opts.Connections {
		c := &echoConn{}
		must.Do(t, c.Dial(p, 5*time.Second, func(net.Conn) error { return nil }, opts))
		must.Do(t, s.Add(c, &s.group))
	}
	return s
}

// submit is a request of some bytes.
func (s *echoSession) submit(t *testing.T, request []byte) bool {
	t.Helper()
	if !s.group.Pick(s.Turn(), request) {
		return false
	}
	b := s.group.Now.Filling
	b.Frame, b.Notes = append(b.Frame, request...), append(b.Notes, 0)
	s.Submitted()
	if !s.group.Now.Room() {
		must.Do(t, s.group.Full())
	}
	return true
}

// flights are how many batches each connection has in flight.
func (s *echoSession) flights() (n []int) {
	for _, c := range s.conns {
		n = append(n, len(c.Flight))
	}
	return n
}

// listen hands each connection to serve.
func listen(t *testing.T, serve func(net.Conn)) (addr string) {
	t.Helper()
	l := must.Keep(net.Listen("tcp", "127.0.0.1:0"))(t)
	go accept(l, serve)
	return l.Addr().String()
}

func accept(l net.Listener, serve func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go serve(c)
	}
}

func silent(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func echo(c net.Conn) {
	_, _ = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c}) // through a buffer, not splice
	c.Close()
}

// TestBatchesLeaveTogether checks that batches leave in one write if they fill while the server is
// busy with other connections. They leave when the window is full, or at the next flush or poll.
func TestBatchesLeaveTogether(t *testing.T) {
	addr := listen(t, silent)
	cases := []struct {
		name        string
		workers     int
		connections int
		submit      int // requests, each a batch
		then        func(*echoSession) error
		writes      uint64
	}{
		{"a connection alone holds nothing back", 1, 1, 3, nil, 3},
		{"one worker each", 2, 2, 4 + 3, nil, 4 + 3},
		{"the others wait", 1, 2, 4 + 3, nil, 4},
		{"a full window leaves", 1, 2, 4 + 4, nil, 4 + 1},
		{"a flush", 1, 2, 4 + 3, func(s *echoSession) error { return s.Flush() }, 4 + 1},
		{"a poll", 1, 2, 4 + 3, func(s *echoSession) error { _, err := s.Poll(nil, 0); return err }, 4 + 1},
		{"no more than fits is taken", 1, 3, 100, nil, 4 + 1 + 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newEchoSession(t, addr, c.workers, kvs.SessionOptions{Batch: 1, Window: 4, Connections: c.connections})
			for range c.submit {
				s.submit(t, []byte("request"))
			}
			if c.then != nil {
				must.Do(t, c.then(s))
			}
			if got := s.Traffic(); got.Writes != c.writes || got.Frames != uint64(min(c.submit, 4*c.connections)) {
				t.Errorf("%d batches in %d writes, want %d writes", got.Frames, got.Writes, c.writes)
			}
		})
	}
}

// TestTurns checks that a group stays with a connection until its window is full, and begins each
// turn with the next one. Batches that must wait are filled last.
func TestTurns(t *testing.T) {
	s := newEchoSession(t, listen(t, silent), 1, kvs.SessionOptions{Batch: 2, Window: 2, Connections: 3})
	steps := []struct {
		requests int
		want     []int
	}{
		{2, []int{1, 0, 0}},
		{1, []int{1, 0, 0}}, // the next turn's batch has begun
		{1, []int{1, 1, 0}}, // and is filled in this one
		{4, []int{1, 1, 2}},
		{4, []int{2, 2, 2}},
		{5, []int{2, 2, 2}}, // two of them wait, and one has begun
	}
	for i, step := range steps {
		must.Get(s.Poll(nil, 0))(t)
		for range step.requests {
			s.submit(t, []byte("request"))
		}
		if got := s.flights(); !slices.Equal(got, step.want) {
			t.Errorf("step %d: %v batches in flight, want %v", i, got, step.want)
		}
	}
}

// TestManySizes checks that batches of any size come back complete and in order, however many bytes
// the kernel takes at once.
func TestManySizes(t *testing.T) {
	addr := listen(t, echo)
	for _, most := range []int{100, 300_000} {
		for _, opts := range []kvs.SessionOptions{
			{Batch: 3, Window: 1, Connections: 3},
			{Batch: 3, Window: 20, Connections: 1},
			{Batch: 3, Window: 20, Connections: 3},
		} {
			t.Run(fmt.Sprintf("%d bytes, window %d, connections %d", most, opts.Window, opts.Connections),
				func(t *testing.T) {
					manySizes(t, newEchoSession(t, addr, 1, opts), most)
				})
		}
	}
}

func manySizes(t *testing.T, s *echoSession, most int) {
	const requests = 400
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	noise := make([]byte, most)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	sent, answered := 0, 0
	for deadline := time.Now().Add(time.Minute); answered < requests; {
		for sent < requests {
			from := rng.IntN(most)
			if !s.submit(t, noise[from:from+1+rng.IntN(most-from)]) {
				break
			}
			sent++
		}
		if sent == requests {
			must.Do(t, s.Flush())
		}
		answers, err := s.Poll(nil, time.Millisecond)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if answered += len(answers); time.Now().After(deadline) {
			t.Fatalf("seed %d: %d of %d answered within a minute", seed, answered, sent)
		}
	}
	if s.InFlight() != 0 {
		t.Errorf("seed %d: %d in flight at the end", seed, s.InFlight())
	}
}

// TestNothingIsAllocated for batches that leave together.
func TestNothingIsAllocated(t *testing.T) {
	s := newEchoSession(t, listen(t, echo), 1, kvs.SessionOptions{Batch: 1, Window: 20, Connections: 2})
	var answers []kvs.Answer
	round := func() {
		for s.submit(t, []byte("request")) {
		}
		for s.InFlight() > 0 {
			var err error
			if answers, err = s.Poll(answers[:0], time.Second); err != nil {
				t.Fatal(err)
			}
		}
	}
	round()
	if n := testing.AllocsPerRun(5, round); n > 0 {
		t.Errorf("%v allocations a round of 42 requests", n)
	}
}

// TestFlushedBatchesTakeTurns checks flushes of incomplete batches. They use all connections too,
// and none with a full window while another's has room.
func TestFlushedBatchesTakeTurns(t *testing.T) {
	s := newEchoSession(t, listen(t, silent), 1, kvs.SessionOptions{Batch: 8, Window: 2, Connections: 3})
	for i, want := range [][]int{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 2}, {2, 2, 2}} {
		s.submit(t, []byte("request"))
		must.Do(t, s.Flush())
		must.Get(s.Poll(nil, 0))(t)
		if got := s.flights(); !slices.Equal(got, want) {
			t.Errorf("after %d requests: %v batches in flight, want %v", i+1, got, want)
		}
	}
}

// TestAnsweredConnectionsKeepNobodyBusy checks that batches are not held back on all connections
// after all answers came at once.
func TestAnsweredConnectionsKeepNobodyBusy(t *testing.T) {
	s := newEchoSession(t, listen(t, echo), 1, kvs.SessionOptions{Batch: 1, Window: 2, Connections: 3})
	request := []byte("request")
	for s.submit(t, request) {
	}
	must.Do(t, s.Flush())
	before := s.Traffic()
	for _, c := range s.conns {
		for came, deadline := 0, time.Now().Add(10*time.Second); came < 2*len(request); {
			var err error
			if came, err = unix.IoctlGetInt(c.fd, unix.TIOCINQ); err != nil || time.Now().After(deadline) {
				t.Fatalf("%d bytes came, %v", came, err)
			}
		}
	}
	answers, err := s.Poll(nil, time.Second)
	if after := s.Traffic(); err != nil || len(answers) != 6 || after.Frames != before.Frames+3 ||
		after.Writes != before.Writes+1 {
		t.Errorf("%d answers, %v; before %+v, after %+v: want one of three batches that waited to be written",
			len(answers), err, before, after)
	}
}

// TestAnswersBeforeTheirBatches checks that an answer to a batch that is held back is an error: the
// server has invented it.
func TestAnswersBeforeTheirBatches(t *testing.T) {
	request := []byte("request")
	addr := listen(t, func(c net.Conn) {
		_, _ = c.Write(request) // nobody has asked
		silent(c)
	})
	s := newEchoSession(t, addr, 1, kvs.SessionOptions{Batch: 1, Window: 2, Connections: 2})
	for range 3 {
		s.submit(t, request)
	}
	held := s.conns[1]
	for deadline := time.Now().Add(10 * time.Second); ; {
		answers, err := held.Receive(nil)
		if err != nil {
			if !strings.Contains(err.Error(), "a batch of 7 bytes, of which only 0 were sent") {
				t.Error(err)
			}
			return
		}
		if len(answers) > 0 || time.Now().After(deadline) {
			t.Fatalf("%d answers to a batch that was not sent, and no error", len(answers))
		}
	}
}

// TestReasonIsTold checks a server that sends a failure and hangs up while requests are on their
// way. The first failing call quotes it, even if that is a send.
func TestReasonIsTold(t *testing.T) {
	for name, then := range map[string]func(*echoSession) error{
		"flush": func(s *echoSession) error { return s.Flush() },
		"poll":  func(s *echoSession) error { _, err := s.Poll(nil, time.Second); return err },
	} {
		t.Run(name, func(t *testing.T) {
			addr := listen(t, func(c net.Conn) {
				_, _ = io.ReadFull(c, make([]byte, 3))
				_, _ = c.Write([]byte("refused, because of the moon"))
				c.Close() // with a request half read: a reset
			})
			s := newEchoSession(t, addr, 1, kvs.SessionOptions{Batch: 2, Window: 4, Connections: 1})
			s.submit(t, []byte("request"))
			s.submit(t, []byte("request"))
			waitReset(t, s.group.Now.fd)
			s.submit(t, []byte("request"))
			must.Fail(t, then(s), "came back as others")
		})
	}
}

// waitReset waits until the kernel knows that the peer is gone.
func waitReset(t *testing.T, fd int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		if _, err := unix.Poll(fds, 0); err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return
		}
	}
	t.Fatal("the connection was not reset")
}

// TestQueuedTime checks that a batch waits from Launch to the system call that wrote it: not at all
// if it leaves at once, and as long as it is held back otherwise. Each operation counts.
func TestQueuedTime(t *testing.T) {
	s := newEchoSession(t, listen(t, silent), 1, kvs.SessionOptions{Batch: 2, Window: 4, Connections: 2})
	for range 2 * 4 {
		s.submit(t, []byte("request"))
	}
	if got := s.Traffic(); got.SentOps != 8 || got.QueuedNs != 0 {
		t.Fatalf("batches of a connection alone: %d operations waited %d ns, want 8 and 0", got.SentOps, got.QueuedNs)
	}
	for range 2 * 3 { // held back: the other connection keeps the server busy
		s.submit(t, []byte("request"))
	}
	const wait = 5 * time.Millisecond
	time.Sleep(wait)
	must.Do(t, s.Flush())
	if got := s.Traffic(); got.SentOps != 8+6 || got.QueuedNs < 6*uint64(wait) {
		t.Errorf("with batches held back: %d operations waited %d ns, want 14 and at least %d", got.SentOps,
			got.QueuedNs, 6*wait)
	}
}
