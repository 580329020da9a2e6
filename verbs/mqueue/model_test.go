package mqueue

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
	"dpukv/verbs/nasty"
)

// simulated are two ends on one device, whose steps the test chooses if it is nasty.
type simulated struct {
	*bare
	device *nasty.Device // nil: over shm, a message takes effect when it is sent
}

// simulations are lanes over all devices that lanes accept, fenced as the device needs it.
func simulations(t *testing.T) map[string]simulated {
	lanes := map[string]simulated{}
	for _, way := range []Answers{Read, Written} {
		for _, fenced := range []bool{false, true} {
			x := newBare(t, way)
			x.owner.fenced, x.mover.fenced = fenced, fenced
			lanes[fmt.Sprint(way, " ", fenced)] = simulated{x, nil}
		}
		for _, model := range []nasty.Model{nasty.Ordered, nasty.LastWord, nasty.PCIe} {
			d := over(t, nasty.Config{Model: model, Manual: true})
			x := newBareOn(t, d, way, bareShape)
			x.owner.fenced, x.mover.fenced = model == nasty.PCIe, model == nasty.PCIe
			lanes[fmt.Sprint(way, " ", model)] = simulated{x, d}
		}
	}
	return lanes
}

// TestModel runs both ends in one goroutine, in an order that rapid chooses, beside a model: two
// queues, of requests and of answers. Messages come in the model's order, whole, and each once. Of a
// nasty device, rapid chooses the order of pieces, too, and every look between them.
func TestModel(t *testing.T) {
	for name, x := range simulations(t) {
		for _, ownerFirst := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", ownerFirst), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					x.restart()
					m := model{t: rt, device: x.device, requester: x.mover, answerer: x.owner, slots: x.shape.Slots}
					if ownerFirst {
						m.requester, m.answerer = x.owner, x.mover
					}
					rt.Repeat(map[string]func(*rapid.T){
						"send":    func(*rapid.T) { m.send(m.requester, &m.requests, m.flight < m.slots) },
						"answer":  func(*rapid.T) { m.send(m.answerer, &m.replies, m.open > 0) },
						"poll":    func(rt *rapid.T) { m.poll(rapid.Bool().Draw(rt, "requester")) },
						"request": func(*rapid.T) { m.receive(m.answerer, &m.requests) },
						"reply":   func(*rapid.T) { m.receive(m.requester, &m.replies) },
						"piece":   m.piece,
					})
					m.drain()
				})
			})
		}
	}
}

// model has the messages on their way.
type model struct {
	t                   *rapid.T
	device              *nasty.Device // nil: none
	requester, answerer *End
	requests, replies   [][]byte
	flight, open        int // requests without an answer: at the requester, at the answerer
	slots, number       int
}

func (m *model) poll(requester bool) {
	e := m.answerer
	if requester {
		e = m.requester
	}
	if _, err := e.Poll(); err != nil {
		m.t.Fatal(err)
	}
}

// piece gives some of the pieces on their way effect.
func (m *model) piece(rt *rapid.T) {
	if m.device == nil {
		return
	}
	for range rapid.IntRange(1, 12).Draw(rt, "pieces") {
		n := m.device.Waiting()
		if n == 0 {
			return
		}
		if err := m.device.Step(rapid.IntRange(0, n-1).Draw(rt, "piece")); err != nil {
			m.t.Fatal(err)
		}
	}
}

// settle gives all pieces on their way effect.
func (m *model) settle() {
	for moved := m.device != nil; moved; {
		var err error
		if moved, err = m.device.Turn(); err != nil {
			m.t.Fatal(err)
		}
	}
}

// send sends a message if there is room. There may be none although the model allows it: the device
// has not completed the message before in this slot.
func (m *model) send(e *End, queue *[][]byte, allowed bool) {
	room := e.Slot()
	if room == nil || e == m.answerer && e.role == undecided {
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
	if e == m.requester {
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
	if e == m.requester {
		m.flight--
	} else {
		m.open++
	}
	return true
}

// drain finishes all requests, within a bounded number of turns: there is no deadlock.
func (m *model) drain() {
	for range 20 * m.slots {
		m.settle()
		m.poll(true)
		m.poll(false)
		m.receive(m.answerer, &m.requests)
		if m.open > 0 {
			m.send(m.answerer, &m.replies, true)
		}
		m.receive(m.requester, &m.replies)
	}
	m.settle()
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
		must.Do(t, e.Send(32, 0))
		for to := ends[1-i]; ; {
			_, _ = e.Poll()
			_, _ = to.Poll()
			if _, ok := to.Receive(); ok {
				break
			}
		}
	}
}
