package mica

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/halves"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
	"dpukv/verbs/sidechannel"
)

// playedHalf is a store half whose messages the test writes.
type playedHalf struct {
	*mqueue.End
	t      *testing.T
	engine *Server
	asks   net.Listener
}

var playedShape = mqueue.Shape{Slots: 16, SlotBytes: leastSlotBytes}

// playStore starts an engine of one thread, for a store half that the test plays.
func playStore(t *testing.T) *playedHalf {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	device, err := provider.Open("shm", provider.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan *mqueue.End, 1)
	go serveAsks(l, device, ends)
	engine, err := StartEngine(&kvs.ServerConfig{
		Listen: "127.0.0.1:0", StoreAddr: l.Addr().String(), Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &playedHalf{<-ends, t, engine.(*Server), l}
	t.Cleanup(func() {
		for _, c := range []io.Closer{h.engine, h, device, l} {
			if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		}
	})
	return h
}

// serveAsks answers what an engine asks for while it starts.
func serveAsks(l net.Listener, device verbs.Device, ends chan<- *mqueue.End) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		ch := sidechannel.New(c)
		var ask halves.Ask
		if ch.Receive(&ask) != nil || ask.Want != halves.Lane {
			_ = ch.Send(kvs.Facts{
				Store: "mica", Hash: "city64", Mode: "cache", Access: "erew", Workers: 1,
				Partitions: 1, MaxBatch: MaxBatch, MaxFrameBytes: playedShape.SlotBytes,
				Lanes: &kvs.LaneFacts{Lanes: 1},
			})
			_ = ch.Close()
			continue
		}
		_ = ch.Send(halves.Refusal{})
		end, err := mqueue.Offer(ch, mqueue.Config{
			Shape: playedShape, Device: device, Answers: mqueue.Written,
		})
		if err == nil {
			ends <- end
		}
	}
}

// next returns the next request, or false if none comes for a while.
func (h *playedHalf) next(wait time.Duration) (header, bool) {
	h.t.Helper()
	for end := time.Now().Add(wait); ; {
		if _, err := h.Poll(); err != nil {
			h.t.Fatal(err)
		}
		if m, there := h.Receive(); there {
			request, err := parseHeader(m.Bytes)
			if err != nil {
				h.t.Fatal(err)
			}
			return request, true
		}
		if time.Now().After(end) {
			return header{}, false
		}
	}
}

// await returns the next request.
func (h *playedHalf) await() header {
	h.t.Helper()
	request, there := h.next(testTimeout)
	if !there {
		h.t.Fatal("no request came")
	}
	return request
}

// reply answers the oldest request with a message. It leaves with the next Poll.
func (h *playedHalf) reply(message []byte, code uint16) {
	h.t.Helper()
	room := h.Slot()
	for ; room == nil; room = h.Slot() {
		if _, err := h.Poll(); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := h.Send(copy(room, message), code); err != nil {
		h.t.Fatal(err)
	}
}

// dialGreeted connects a client that has received its welcome.
func dialGreeted(t *testing.T, s *Server) raw {
	t.Helper()
	c := dialRaw(t, s)
	if _, err := greet(c); err != nil {
		t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(2 * testTimeout)); err != nil {
		t.Fatal(err)
	}
	return c
}

// answerOf is the answer to a request of one Set.
func answerOf(sequence uint64) []byte {
	b := make([]byte, answerHead(1))
	putHeader(b, header{bytes: len(b), kind: kindAnswer, count: 1, sequence: sequence})
	return b
}

// TestWrongAnswersOfTheStoreHalf checks that no client receives a message that does not answer its
// request, and that the engine ends with the reason.
func TestWrongAnswersOfTheStoreHalf(t *testing.T) {
	good := answerOf(1)
	for name, test := range map[string]struct {
		message []byte
		code    uint16
		want    string
	}{
		"empty":              {nil, LaneAnswer, "found 0 bytes"},
		"shorter":            {good[:len(good)-8], LaneAnswer, "found 16 bytes"},
		"longer":             {append(bytes.Clone(good), 0), LaneAnswer, "bytes:25"},
		"another version":    {changed(good, 4, 9), LaneAnswer, "protocol version"},
		"another kind":       {changed(good, 5, byte(kindStats)), LaneAnswer, "kind:6"},
		"of more operations": {changed(good, 6, 2), LaneAnswer, "count:2"},
		"of another request": {answerOf(2), LaneAnswer, "sequence:2"},
		"of another code":    {good, 7, "found code 7"},
	} {
		t.Run(name, func(t *testing.T) {
			h := playStore(t)
			c := dialGreeted(t, h.engine)
			c.send(requestFrame([]byte("key"), nil))
			h.await()
			h.reply(test.message, test.code)
			if _, err := h.Poll(); err != nil {
				t.Fatal(err)
			}
			err := h.engine.Wait()
			if err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "store half") {
				t.Errorf("the engine ended with %v, want %q", err, test.want)
			}
			got, body, err := readFrame(c)
			if err != nil || got.kind != kindFailure {
				t.Errorf("the client received %+v %q, %v; want a failure", got, body, err)
			}
		})
	}
}

// TestAnswersBeforeAWrongOne checks that answers which came before a wrong message reach their own
// client, and no other one.
func TestAnswersBeforeAWrongOne(t *testing.T) {
	h := playStore(t)
	asking, other := dialGreeted(t, h.engine), dialGreeted(t, h.engine)
	asking.send(bytes.Repeat(requestFrame([]byte("key"), nil), 2))
	h.await()
	h.await()
	h.reply(answerOf(1), LaneAnswer)
	h.reply(nil, LaneAnswer)
	if _, err := h.Poll(); err != nil {
		t.Fatal(err)
	}
	if err := h.engine.Wait(); err == nil {
		t.Error("the engine goes on")
	}
	if got, _, err := readFrame(asking); err != nil || got.kind != kindAnswer {
		t.Errorf("the client received %+v, %v; want its answer", got, err)
	}
	for _, c := range []raw{asking, other} {
		if got, _, err := readFrame(c); err != nil || got.kind != kindFailure {
			t.Errorf("a client received %+v, %v; want a failure", got, err)
		}
	}
}

// TestAnswersBeforeAFailure checks that an illegal frame ends a connection behind the answers to
// the requests before it.
func TestAnswersBeforeAFailure(t *testing.T) {
	h := playStore(t)
	c := dialGreeted(t, h.engine)
	request := requestFrame([]byte("key"), nil)
	c.send(append(bytes.Repeat(request, 2), changed(request, 4, 99)...))
	h.await()
	h.await()
	for range 2 {
		h.reply(answerOf(1), LaneAnswer)
		if _, err := h.Poll(); err != nil {
			t.Fatal(err)
		}
		if got, _, err := readFrame(c); err != nil || got.kind != kindAnswer {
			t.Fatalf("the client received %+v, %v; want an answer", got, err)
		}
	}
	if got, body, err := readFrame(c); err != nil || got.kind != kindFailure {
		t.Errorf("the client received %+v %q, %v; want a failure", got, body, err)
	}
}

// TestNoCounters checks that an engine without the counters of its store half goes on, and tells
// whoever asked.
func TestNoCounters(t *testing.T) {
	h := playStore(t) // it answers facts to everything but the ask for a lane
	h.asks.Close()
	if _, err := h.engine.Stats(); err == nil {
		t.Error("counters without those of the store half")
	}
	c := dialGreeted(t, h.engine)
	c.send(requestFrame([]byte("key"), nil))
	h.await()
	h.reply(answerOf(1), LaneAnswer)
	if _, err := h.Poll(); err != nil {
		t.Fatal(err)
	}
	if got, _, err := readFrame(c); err != nil || got.kind != kindAnswer {
		t.Errorf("the client received %+v, %v; want an answer", got, err)
	}
}

// TestEngineThreads holds the numbers of threads that halves may have.
func TestEngineThreads(t *testing.T) {
	for _, test := range []struct{ engine, store, want int }{
		{0, 2, 2}, {2, 2, 2}, {6, 2, 6}, {1, 2, 0}, {3, 2, 0}, {-2, 2, 0}, {-2, -2, 0},
		{MaxWorkers + 2, 2, 0},
	} {
		got, err := EngineThreads(&kvs.ServerConfig{EngineThreads: test.engine, Workers: test.store})
		if got != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("%d for %d: %d, %v", test.engine, test.store, got, err)
		}
	}
}

// TestFailureBehindUnreadAnswers checks that the answers of a client that does not read, and then
// sends an illegal frame, reach no other client.
func TestFailureBehindUnreadAnswers(t *testing.T) {
	h := playStore(t)
	lazy, other := dialGreeted(t, h.engine), dialGreeted(t, h.engine)
	lazy.send(bytes.Repeat(requestFrame([]byte("key"), nil), 500))
	waiting := fillSocket(h)
	request := requestFrame([]byte("other"), nil)
	other.send(changed(request, 8, 77))
	if got := h.await(); got.sequence != 77 {
		t.Fatalf("a request with sequence %d", got.sequence)
	}
	h.reply(answerOf(1), LaneAnswer)
	for range waiting - 1 {
		h.reply([]byte("illegal"), LaneFailure)
	}
	h.reply(answerOf(77), LaneAnswer)
	if _, err := h.Poll(); err != nil {
		t.Fatal(err)
	}
	if got, _, err := readFrame(other); err != nil || got.sequence != 77 {
		t.Errorf("the other client received %+v, %v; want the answer with sequence 77", got, err)
	}
}

// fillSocket answers requests at length, until the engine takes no more of a client that does not
// read. It returns how many of its requests have no answer.
func fillSocket(h *playedHalf) (waiting int) {
	h.t.Helper()
	long := make([]byte, playedShape.SlotBytes)
	for sequence := h.await().sequence; ; {
		for there := true; there; waiting++ {
			_, there = h.next(100 * time.Millisecond)
		}
		if waiting < playedShape.Slots/2 {
			return waiting
		}
		putHeader(long, header{
			bytes: len(long), kind: kindAnswer, count: 1, sequence: sequence,
		})
		h.reply(long, LaneAnswer)
		waiting -= 2
	}
}

// TestShareOfALane checks that a connection with many requests leaves room for those of others, and
// that its own follow as they are answered.
func TestShareOfALane(t *testing.T) {
	const requests = 100
	h := playStore(t)
	greedy, other := dialGreeted(t, h.engine), dialGreeted(t, h.engine)
	greedy.send(bytes.Repeat(requestFrame([]byte("key"), nil), requests))
	share := playedShape.Slots / 2
	for range share {
		h.await()
	}
	other.send(changed(requestFrame([]byte("other"), nil), 8, 77))
	if got := h.await(); got.sequence != 77 {
		t.Errorf("a request with sequence %d, want the other client's", got.sequence)
	}
	for n := range requests {
		if n == share {
			h.reply(answerOf(77), LaneAnswer)
		}
		h.reply(answerOf(1), LaneAnswer)
		if n < requests-share {
			h.await()
		}
	}
	if _, err := h.Poll(); err != nil {
		t.Fatal(err)
	}
	for n := range requests {
		if _, _, err := readFrame(greedy); err != nil {
			t.Fatalf("answer %d: %v", n, err)
		}
	}
}
