package mqueue

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestModel runs both ends in one goroutine, in an order that rapid chooses, beside a model: two
// queues, of requests and of answers. Messages come in the model's order, whole, and each once.
func TestModel(t *testing.T) {
	lanes := map[string]*bare{}
	for _, way := range []Answers{Read, Written} {
		for _, fenced := range []bool{false, true} {
			x := newBare(t, way)
			x.owner.fenced, x.mover.fenced = fenced, fenced
			lanes[fmt.Sprint(way, " ", fenced)] = x
		}
	}
	for name, x := range lanes {
		for _, ownerAsks := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", ownerAsks), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					x.restart()
					m := model{t: rt, asks: x.mover, answers: x.owner, slots: x.shape.Slots}
					if ownerAsks {
						m.asks, m.answers = x.owner, x.mover
					}
					rt.Repeat(map[string]func(*rapid.T){
						"ask":     func(*rapid.T) { m.send(m.asks, &m.requests, m.flight < m.slots) },
						"answer":  func(*rapid.T) { m.send(m.answers, &m.replies, m.open > 0) },
						"poll":    func(rt *rapid.T) { m.poll(rapid.Bool().Draw(rt, "asker")) },
						"request": func(*rapid.T) { m.receive(m.answers, &m.requests) },
						"reply":   func(*rapid.T) { m.receive(m.asks, &m.replies) },
					})
					m.drain()
				})
			})
		}
	}
}

// model has the messages on their way.
type model struct {
	t                 *rapid.T
	asks, answers     *End
	requests, replies [][]byte
	flight, open      int // requests without an answer: at the asker, at the answerer
	slots, number     int
}

func (m *model) poll(asker bool) {
	e := m.answers
	if asker {
		e = m.asks
	}
	if _, err := e.Poll(); err != nil {
		m.t.Fatal(err)
	}
}

// send sends a message if there is room. There may be none although the model allows it: the device
// has not completed the message before in this slot.
func (m *model) send(e *End, queue *[][]byte, allowed bool) {
	room := e.Slot()
	if room == nil || e == m.answers && e.role == undecided {
		return
	}
	if !allowed {
		m.t.Fatalf("room, with %d requests in flight and %d to answer", m.flight, m.open)
	}
	m.number++
	b := request(m.number, len(room))
	if err := e.Send(copy(room, b), uint16(len(b))); err != nil {
		m.t.Fatal(err)
	}
	*queue = append(*queue, b)
	if e == m.asks {
		m.flight++
	} else {
		m.open--
	}
}

func (m *model) receive(e *End, queue *[][]byte) (ok bool) {
	got, ok := e.Receive()
	if !ok {
		return false
	}
	if len(*queue) == 0 {
		m.t.Fatalf("a message of %d bytes that nobody sent", len(got.Bytes))
	}
	want := (*queue)[0]
	*queue = (*queue)[1:]
	if !bytes.Equal(got.Bytes, want) || int(got.Code) != len(want) {
		m.t.Fatalf("a message of %d bytes, code %d; want %d", len(got.Bytes), got.Code, len(want))
	}
	if e == m.asks {
		m.flight--
	} else {
		m.open++
	}
	return true
}

// drain finishes all requests, within a bounded number of turns: there is no deadlock.
func (m *model) drain() {
	for range 20 * m.slots {
		m.poll(true)
		m.poll(false)
		m.receive(m.answers, &m.requests)
		if m.open > 0 {
			m.send(m.answers, &m.replies, true)
		}
		m.receive(m.asks, &m.replies)
	}
	if m.flight != 0 || len(m.requests)+len(m.replies) != 0 {
		m.t.Fatalf("stuck: %d requests without an answer", m.flight)
	}
}

// TestNoAllocation checks that a round trip allocates nothing, and that an idle Poll does not
// either.
func TestNoAllocation(t *testing.T) {
	for _, way := range []Answers{Read, Written} {
		x := newBare(t, way)
		if n := testing.AllocsPerRun(1000, func() { roundTrip(t, x) }); n != 0 {
			t.Errorf("%s: %v allocations for a round trip", way, n)
		}
	}
}

// roundTrip sends a request and its answer within one goroutine.
func roundTrip(t *testing.T, x *bare) {
	ends := []*End{x.mover, x.owner}
	for i, e := range ends {
		for e.Slot() == nil {
			_, _ = e.Poll()
		}
		if err := e.Send(32, 0); err != nil {
			t.Fatal(err)
		}
		for to := ends[1-i]; ; {
			_, _ = e.Poll()
			_, _ = to.Poll()
			if _, ok := to.Receive(); ok {
				break
			}
		}
	}
}
