package sockets

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// TestAnyOrder submits, flushes and polls in any order. The servers read and answer in pieces of
// any size, at any time. No request is lost, and each is answered once, in the order of its
// connection.
func TestAnyOrder(t *testing.T) {
	seed := rand.Uint64()
	for i := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, i))
		opts := kvs.SessionOptions{Batch: 1 + rng.IntN(3), Window: 1 + rng.IntN(12), Connections: 1 + rng.IntN(4)}
		opts.Wait = []string{kvs.WaitSleep, kvs.WaitPoll}[rng.IntN(2)]
		workers, most := 1+rng.IntN(2), []int{20, 3000, 100_000}[rng.IntN(3)]
		t.Run(fmt.Sprintf("%+v workers %d, to %d bytes, seed %d %d", opts, workers, most, seed, i), func(t *testing.T) {
			t.Parallel() // they mostly wait
			p := peers[int(i)%len(peers)].listen(t, func(c net.Conn) { echoInPieces(c, most) })
			m := &model{echoSession: dialEchoSession(t, p, workers, opts), rng: rng, noise: make([]byte, most)}
			if rng.IntN(2) == 0 {
				m.narrow(t)
			}
			for i := range m.noise {
				m.noise[i] = byte(rng.Uint32())
			}
			m.run(t, 200)
		})
	}
}

// echoInPieces is an echo that pauses now and then, so that its client's writes overflow the
// kernel's buffers.
func echoInPieces(c net.Conn, most int) {
	defer c.Close()
	for b := make([]byte, most); ; {
		n, err := c.Read(b[:1+rand.IntN(most)])
		if err == nil {
			_, err = c.Write(b[:n])
		}
		if err != nil {
			return
		}
		if rand.IntN(20) == 0 {
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		}
	}
}

// model is a session with choices from a seed, and the invariants to check.
type model struct {
	*echoSession
	rng      *rand.Rand
	noise    []byte
	sent     int
	answered int
}

// narrow has the kernel take little at once, so that connections block.
func (m *model) narrow(t *testing.T) {
	for _, c := range m.conns {
		if err := unix.SetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1); err != nil { // the least that it has
			t.Fatal(err)
		}
	}
}

func (m *model) run(t *testing.T, requests int) {
	deadline := time.Now().Add(time.Minute)
	for m.answered < requests {
		var answers []kvs.Answer
		var err error
		what := m.rng.IntN(10)
		switch {
		case what < 7 && m.sent < requests:
			what = 0
			m.submitOne(t)
		case what == 7 || m.sent == requests && what < 3:
			what = 7
			err = m.Flush()
		default:
			answers, err = m.Poll(nil, []time.Duration{0, 100 * time.Microsecond, 5 * time.Millisecond}[m.rng.IntN(3)])
		}
		must.Do(t, err)
		m.answered += len(answers)
		m.check(t, what == 7)
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d sent, %d answered within a minute: flights %v, held %v", m.sent, requests, m.answered,
				m.flights(), m.shared.held)
		}
	}
	if m.InFlight() != 0 || m.group.load.busy != 0 {
		t.Errorf("at the end %d in flight, %d connections busy", m.InFlight(), m.group.load.busy)
	}
}

// submitOne may be refused only while every connection has a full window in flight and a full batch
// waiting.
func (m *model) submitOne(t *testing.T) {
	from := m.rng.IntN(len(m.noise))
	if m.submit(t, m.noise[from:from+1+m.rng.IntN(len(m.noise)-from)]) {
		m.sent++
		return
	}
	for _, c := range m.conns {
		if c.Open() || c.Room() {
			t.Fatalf("refused, and connection %d has %d in flight and %d in its batch", c.number, len(c.Flight),
				len(c.Filling.Notes))
		}
	}
}

// check is true between any two calls.
func (m *model) check(t *testing.T, flushed bool) {
	t.Helper()
	pending, busy := 0, 0
	for _, c := range m.conns {
		pending += len(c.Filling.Notes)
		for _, b := range c.Flight {
			pending += len(b.Notes)
		}
		if len(c.Flight) > 0 && c.Flight[0].written > 0 {
			busy++
		}
		times := 0
		for _, number := range m.shared.held {
			if number == c.number {
				times++
			}
		}
		switch {
		case c.unsent < len(c.Flight) && !c.blocked && times == 0:
			t.Fatalf("connection %d: %d of %d batches are written, and nobody is to write the others", c.number,
				c.unsent, len(c.Flight))
		case c.unsent == len(c.Flight) && c.blocked:
			t.Fatalf("connection %d waits for the kernel with nothing to write", c.number)
		case times > 0 && c.unsent < len(c.Flight) && !c.Spared():
			t.Fatalf("connection %d is held back, and only %d others have batches that %d workers may answer", c.number,
				m.group.load.busy, m.group.load.workers)
		case times > 1:
			t.Fatalf("connection %d is held %d times", c.number, times)
		case m.group.load.open.has(c.place) != c.Open() || m.group.load.room.has(c.place) != c.Room():
			t.Fatalf("connection %d: open %v, room %v, the group says %v, %v", c.number, c.Open(), c.Room(),
				m.group.load.open.has(c.place), m.group.load.room.has(c.place))
		case !c.Room() && c.Open():
			t.Fatalf("connection %d: a full batch waits, and the window is open", c.number)
		case flushed && (times > 0 || c.Begun() && c.Open()):
			t.Fatalf("connection %d: flushed, and not all is sent", c.number)
		}
		if !slices.IsSortedFunc(c.Flight, func(a, b *Batch[int]) int { return int(a.SentNs - b.SentNs) }) {
			t.Fatalf("connection %d: batches in flight are not in the order sent", c.number)
		}
	}
	if pending != m.InFlight() || pending != m.sent-m.answered || busy != m.group.load.busy {
		t.Fatalf("%d pending of %d-%d, it says %d; %d connections busy, it says %d", pending, m.sent, m.answered,
			m.InFlight(), busy, m.group.load.busy)
	}
}
