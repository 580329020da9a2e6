package mica

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"dpukv/kvs"

	"github.com/go-faster/city"
)

// honest is a client that follows the protocol and stays within its guarantee. It knows the right
// answer to every request.
type honest struct {
	sim    *sim
	number int
	life   int // how many connections it has had; each has keys of its own
	model  map[string][]byte

	s         *tcp
	worker    int
	welcomed  bool
	out       []byte // to be sent
	in        []byte // received and not understood yet
	inFlight  []batch
	sequence  uint64
	connected int // step
	asked     int // step of an ask that waits; 0: none
}

// batch is a request in flight, with its expected answer.
type batch struct {
	sequence uint64
	step     int
	want     []expected
}

type expected struct {
	status kvs.Status
	value  []byte
}

// keep is one step of an honest client: it sends, receives, and reconnects.
func (h *honest) keep() {
	if h.s == nil {
		h.connect()
		return
	}
	h.out = h.out[h.s.send(h.out):]
	for {
		b, over := h.s.receive(4096)
		if h.in = append(h.in, b...); len(b) > 0 {
			h.understand()
		}
		if over && h.s != nil {
			h.ended("")
		}
		if h.s == nil || len(b) == 0 {
			return
		}
	}
}

func (h *honest) connect() {
	h.worker = h.sim.IntN(len(h.sim.loops))
	if h.s = h.sim.listeners[h.worker].connect(16<<10, 8<<10); h.s == nil {
		return
	}
	h.life++
	h.model, h.inFlight, h.in, h.asked = map[string][]byte{}, nil, nil, 0
	h.welcomed, h.out, h.connected = false, helloFrame(), h.sim.steps
}

// ended is fatal, unless the server could not help it.
func (h *honest) ended(why string) {
	s := h.sim
	// If its socket was closed at once, TCP may have discarded the reason.
	full := strings.Contains("connections of this server are in use", saying(why)) && s.full >= h.connected
	files := strings.Contains("no file descriptor left", saying(why)) && s.exhausted >= h.connected
	if !h.s.struck && (h.welcomed || !full && !files) {
		s.Failf("the session of honest client %d has ended: %q", h.number, why)
	}
	s.Note("honest %d ended, as it may: %q", h.number, why)
	h.s.hangUp(false)
	h.s = nil
}

// saying is what a refusal says, without its numbers.
func saying(why string) string {
	for _, known := range []string{"connections of this server are in use", "no file descriptor left"} {
		if strings.Contains(why, known) {
			return known
		}
	}
	return why
}

// act sends a batch, if few are in flight, or an ask.
func (h *honest) act() {
	if h.s == nil || !h.welcomed || len(h.inFlight) >= 3 {
		return
	}
	if h.asked == 0 && h.sim.OneIn(10) {
		h.out = append(h.out, control(kindAsk, 0, nil)...)
		h.asked = h.sim.steps
		return
	}
	h.sequence++
	b := batch{sequence: h.sequence, step: h.sim.steps}
	frame := make([]byte, headerBytes)
	for range 1 + h.sim.IntN(6) {
		frame = h.operation(&b, frame)
	}
	putHeader(frame, header{bytes: len(frame), kind: kindRequest, count: len(b.want), sequence: h.sequence})
	h.out = append(h.out, frame...)
	h.inFlight = append(h.inFlight, b)
}

// operation appends an operation on a key that the worker owns, and executes it in the model.
func (h *honest) operation(b *batch, frame []byte) []byte {
	key := h.key()
	value := h.sim.Bytes(h.sim.IntN(200))
	had, there := h.model[string(key)]
	op, want := kvs.Op(1+h.sim.IntN(4)), expected{}
	switch op {
	case kvs.Get:
		if value = nil; there {
			want.value = had
		} else {
			want.status = kvs.NotFound
		}
	case kvs.Set:
		h.model[string(key)] = value
	case kvs.Add:
		if there {
			want.status = kvs.Exists
		} else {
			h.model[string(key)] = value
		}
	case kvs.Delete:
		if value = nil; !there {
			want.status = kvs.NotFound
		}
		delete(h.model, string(key))
	}
	b.want = append(b.want, want)
	return appendRequest(frame, op, city.Hash64(key), key, value)
}

func (h *honest) key() []byte {
	for {
		key := fmt.Appendf(nil, "honest-%d-%d-%d", h.number, h.life, h.sim.IntN(40))
		if h.sim.owner(city.Hash64(key)) == h.worker {
			return key
		}
	}
}

// understand takes whole frames out of what has come.
func (h *honest) understand() {
	for h.s != nil && len(h.in) >= headerBytes {
		f, err := parseHeader(h.in)
		if err != nil {
			h.sim.Failf("honest client %d got %v", h.number, err)
		}
		if len(h.in) < f.bytes {
			return
		}
		body := h.in[headerBytes:f.bytes]
		h.in = h.in[f.bytes:]
		h.frame(f, body)
	}
}

func (h *honest) frame(f header, body []byte) {
	switch {
	case f.kind == kindFailure:
		h.ended(string(body))
	case f.kind == kindWelcome && !h.welcomed:
		h.welcomed = true
	case f.kind == kindStats && h.asked > 0:
		var stats kvs.Stats
		if err := json.Unmarshal(body, &stats); err != nil || len(stats.Workers) != len(h.sim.loops) {
			h.sim.Failf("honest client %d is told %q: %v", h.number, body, err)
		}
		h.asked = 0
	case f.kind == kindAnswer && len(h.inFlight) > 0:
		h.answer(f, body)
	default:
		h.sim.Failf("honest client %d got a frame of kind %d", h.number, f.kind)
	}
}

func (h *honest) answer(f header, body []byte) {
	b := h.inFlight[0]
	h.inFlight = h.inFlight[1:]
	if f.sequence != b.sequence || f.count != len(b.want) {
		h.sim.Failf("honest client %d: an answer %d to %d operations, want %d to %d",
			h.number, f.sequence, f.count, b.sequence, len(b.want))
	}
	o, err := parseAnswer(body, f.count)
	for i := 0; err == nil && i < len(b.want); i++ {
		status, value, ok := o.read(i)
		if !ok {
			err = o.cut(i)
		}
		if status != b.want[i].status || !bytes.Equal(value, b.want[i].value) {
			h.sim.Failf("honest client %d, operation %d: found %s %q, want %s %q",
				h.number, i, status, value, b.want[i].status, b.want[i].value)
		}
	}
	if err == nil {
		err = o.done()
	}
	if err != nil {
		h.sim.Failf("honest client %d: %v", h.number, err)
	}
	h.sim.slowest = max(h.sim.slowest, h.sim.steps-b.step)
	h.sim.answered++
}

// check bounds how long the client has waited.
func (h *honest) check() {
	s := h.sim
	switch {
	case h.s == nil:
	case !h.welcomed && h.s.accepted && s.steps-h.s.step > patientSteps:
		s.Failf("honest client %d was not welcomed in %d steps", h.number, s.steps-h.s.step)
	case len(h.inFlight) > 0 && s.steps-h.inFlight[0].step > patientSteps:
		s.Failf("honest client %d has waited for an answer for %d steps", h.number, s.steps-h.inFlight[0].step)
	case h.asked > 0 && s.steps-h.asked > patientSteps:
		s.Failf("honest client %d has waited for counters for %d steps", h.number, s.steps-h.asked)
	}
}
