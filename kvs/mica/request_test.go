package mica

import (
	"bytes"
	"testing"
	"time"

	"dpukv/internal/offheap"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/simulation"
	"dpukv/kvs/partition"
)

// FuzzStream sends any bytes, in any cuts, as a whole stream through the server of the simulation.
// The legal start gets the answers of a map; then comes a failure frame or nothing. All invariants
// of the simulation hold. Each byte of cuts is the length of a piece; after the last one the rest
// comes whole.
func FuzzStream(f *testing.F) {
	for _, stream := range badStreams() {
		f.Add(stream, []byte{})
		f.Add(stream, []byte{1, 15, 7, 3, 200})
	}
	f.Add(bytes.Join([][]byte{
		helloFrame(), requestFrame([]byte("key"), []byte("value")), requestFrame([]byte("key"), nil),
		control(kindAsk, 9, nil), control(kindAsk, 10, nil),
	}, nil), []byte{100, 100})
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		s := newStreamSim(t)
		defer s.close()
		c := s.listeners[0].connect(len(stream), 64<<20)
		for _, cut := range cuts {
			n := min(int(cut), len(stream)-len(c.in)-c.taken)
			c.send(stream[len(c.in)+c.taken:][:n])
			s.quiet()
		}
		c.send(stream[len(c.in)+c.taken:])
		for range 10 {
			s.quiet()
		}
		got, over := c.receive(len(c.out))
		e := expectation{t: t, store: map[string][]byte{}, got: got, over: over}
		e.follow(stream)
	})
}

// newStreamSim is a server with one worker and no clients.
func newStreamSim(t *testing.T) *sim {
	cfg := testConfig()
	cfg.Workers, cfg.PartitionsPerWorker = 1, 1
	cfg.Items, cfg.LogBytes, cfg.Pages = 1000, 1<<20, offheap.Small
	cfg.MaxConnections, cfg.BufferBytes = 4, 64<<20
	server := must.Get(newServer(&cfg))(t)
	s := &sim{
		server:     server,
		simMachine: &simMachine{World: simulation.NewWorld(t, 1), files: 100, open: map[int]*tcp{}},
	}
	server.statsCollector.apart = func(f func()) { f() }
	s.addWorker(newWorker(server, 0, nil))
	server.ports = []int{1}
	must.Do(t, server.announce())
	return s
}

// quiet lets some time pass.
func (s *sim) quiet() {
	for range 4 {
		s.steps = s.Step()
		s.Pass(5 * time.Millisecond)
		s.turn()
	}
}

// expectation walks a stream and what the server has said to it.
type expectation struct {
	t     *testing.T
	store map[string][]byte // by hash and key: the server does not hash
	got   []byte
	over  bool
	asked bool
}

func (e *expectation) follow(stream []byte) {
	greeted := false
	for len(stream) >= headerBytes {
		h, err := parseHeader(stream)
		legal := err == nil && (greeted && h.kind == kindRequest ||
			greeted && h.kind == kindAsk && h.bytes == headerBytes ||
			!greeted && h.kind == kindHello && h.bytes == helloBytes)
		if legal && len(stream) < h.bytes {
			break
		}
		switch {
		case !legal:
			e.failure()
			return
		case h.kind == kindHello:
			if string(stream[headerBytes:h.bytes]) != magic {
				e.failure()
				return
			}
			greeted = true
			e.next(kindWelcome)
		case h.kind == kindAsk:
			if e.asked && e.peek() == kindFailure { // it may have been answered before, or not
				e.failure()
				return
			}
			e.asked = true
		default:
			ops, err := parseRequest(stream[headerBytes:h.bytes], h.count, make([]partition.Op, MaxBatch))
			if err != nil {
				e.failure()
				return
			}
			e.answer(h, ops)
		}
		stream = stream[h.bytes:]
	}
	if e.peek() != 0 || e.over {
		e.t.Fatalf("after what is legal comes a frame of kind %d; over: %v", e.peek(), e.over)
	}
}

// peek returns the kind of the next frame that does not answer an ask; 0: there is none.
func (e *expectation) peek() kind {
	for len(e.got) > 0 {
		h, err := parseHeader(e.got)
		if err != nil || h.bytes > len(e.got) {
			e.t.Fatalf("the server sends % x: %v", e.got, err)
		}
		if h.kind != kindStats || !e.asked {
			return h.kind
		}
		e.got = e.got[h.bytes:]
	}
	return 0
}

func (e *expectation) next(want kind) (header, []byte) {
	if k := e.peek(); k != want {
		e.t.Fatalf("a frame of kind %d, want %d", k, want)
	}
	h, _ := parseHeader(e.got)
	body := e.got[headerBytes:h.bytes]
	e.got = e.got[h.bytes:]
	return h, body
}

func (e *expectation) failure() {
	h, text := e.next(kindFailure)
	if h.sequence != 0 || len(text) == 0 || len(e.got) > 0 || !e.over {
		e.t.Fatalf("failure %d %q, %d bytes after it; over: %v", h.sequence, text, len(e.got), e.over)
	}
}

func (e *expectation) answer(asked header, ops []partition.Op) {
	h, body := e.next(kindAnswer)
	if h.sequence != asked.sequence || h.count != asked.count {
		e.t.Fatalf("answer %d to %d operations, want %d to %d", h.sequence, h.count, asked.sequence, asked.count)
	}
	o, err := parseAnswer(body, h.count)
	for i := 0; err == nil && i < len(ops); i++ {
		status, value, ok := o.read(i)
		if !ok {
			e.t.Fatal(o.cut(i))
		}
		e.operation(&ops[i], status, value)
	}
	if err == nil {
		err = o.done()
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// operation executes an operation in the map. The table is too small for every stream, and may
// refuse it.
func (e *expectation) operation(op *partition.Op, status kvs.Status, value []byte) {
	id := string(key(int(op.Hash))) + string(op.Key)
	had, there := e.store[id]
	want := kvs.OK
	switch {
	case op.Code.Writes() && status == kvs.Full:
		return
	case op.Code == kvs.Add && there:
		want = kvs.Exists
	case op.Code == kvs.Delete:
		delete(e.store, id)
	case op.Code != kvs.Get:
		e.store[id] = bytes.Clone(op.Value)
	}
	if !there && (op.Code == kvs.Get || op.Code == kvs.Delete) {
		want = kvs.NotFound
	}
	if op.Code != kvs.Get {
		had = nil
	}
	if status == kvs.TooLarge && op.Code == kvs.Get && there { // the answers together
		return
	}
	if status != want || !bytes.Equal(value, had) {
		e.t.Fatalf("%s %q: %s %q, want %s %q", op.Code, op.Key, status, value, want, had)
	}
}
