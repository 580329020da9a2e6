package mica

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/energy"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/halves"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
	"dpukv/verbs/sidechannel"
	"dpukv/verbs/verbstest"
)

// playedHalf is a store half whose messages the test writes.
type playedHalf struct {
	*mqueue.End
	t      *testing.T
	engine *Server
	device verbs.Device
}

var playedShape = mqueue.Shape{Slots: 16, SlotBytes: leastSlotBytes}

// playedFacts are the facts of a store half that the test plays.
func playedFacts() kvs.Facts {
	return kvs.Facts{
		Store: "mica", Hash: "city64", Setup: kvs.Setup{Mode: "cache", Access: "erew"}, Workers: 1,
		Partitions: 1, MaxBatch: MaxBatch, MaxFrameBytes: playedShape.SlotBytes,
		Lanes: &kvs.LaneFacts{Provider: "shm", Lanes: 1}, MinHitRate: 1,
	}
}

// playStore starts an engine of one thread, for a store half that the test plays.
func playStore(t *testing.T) *playedHalf {
	t.Helper()
	return must.Get(playStoreOf(t, playedFacts(), [2]string{"shm", "shm"}))(t)
}

// playStoreOf is playStore with other facts, and with the devices of the store half and of the
// engine. It returns the engine's error.
func playStoreOf(t *testing.T, facts kvs.Facts, devices [2]string) (*playedHalf, error) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	device := must.Get(provider.Open(devices[0], provider.Defaults))(t)
	ends := make(chan *mqueue.End, 1)
	go serveAsks(l, &facts, device, ends)
	engine, err := StartEngine(&kvs.HalfConfig{ServerConfig: kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Device: kvs.Device{Name: devices[1]},
	}, StoreAddr: l.Addr().String()})
	closers := []io.Closer{device, l}
	var h *playedHalf
	if err == nil {
		h = &playedHalf{<-ends, t, engine.(*Server), device}
		closers = append([]io.Closer{h.engine, h}, closers...)
	}
	t.Cleanup(func() {
		for _, c := range closers {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return h, err
}

// serveAsks answers what an engine asks for while it starts.
func serveAsks(l net.Listener, facts *kvs.Facts, device verbs.Device, ends chan<- *mqueue.End) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		ch := sidechannel.New(c)
		var ask halves.Ask
		if ch.Receive(&ask) != nil || ask.Want != halves.Lane {
			_ = ch.Send(facts)
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

// atOnce lets the engine see all replies at the same time: its loop waits for its mail meanwhile.
func (h *playedHalf) atOnce(replies func()) {
	h.t.Helper()
	h.engine.workers[0].mail.post(func(*workerMail) {
		time.Sleep(20 * time.Millisecond) // it looks for mail at least this often
		replies()
		if _, err := h.Poll(); err != nil {
			h.t.Error(err)
		}
	})
}

// dialGreeted connects a client that has received its welcome.
func dialGreeted(t *testing.T, s *Server) raw {
	t.Helper()
	c := dialRaw(t, s)
	must.Get(greet(c))(t)
	must.Do(t, c.SetDeadline(time.Now().Add(2*testTimeout)))
	return c
}

// answerOf is the answer to a request of one Set.
func answerOf(sequence uint64) []byte {
	b := make([]byte, answerHead(1))
	putHeader(b, header{bytes: len(b), kind: kindAnswer, count: 1, sequence: sequence})
	return b
}

// TestWrongAnswersOfTheStoreHalf checks that no client receives a message that does not answer its
// request, that it receives the answer that came before, alone, and that the engine ends with the
// reason.
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
			c, other := dialGreeted(t, h.engine), dialGreeted(t, h.engine)
			c.send(requestFrame([]byte("key"), nil), requestFrame([]byte("key"), nil))
			h.await()
			h.await()
			h.atOnce(func() {
				h.reply(good, LaneAnswer)
				h.reply(test.message, test.code)
			})
			err := h.engine.Wait()
			if err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "store half") {
				t.Errorf("the engine ended with %v, want %q", err, test.want)
			}
			got, body, err := readFrame(c)
			if err != nil || got.kind != kindAnswer || got.sequence != 1 {
				t.Errorf("the client received %+v %q, %v; want its answer", got, body, err)
			}
			for _, client := range []raw{c, other} {
				if got, body, err := readFrame(client); err != nil || got.kind != kindFailure {
					t.Errorf("a client received %+v %q, %v; want a failure", got, body, err)
				}
			}
		})
	}
}

// TestLostStoreHalfIsNoBadFrame checks that a client is told of a store half that has ended, and not
// counted as one that sent an illegal frame.
func TestLostStoreHalfIsNoBadFrame(t *testing.T) {
	h := playStore(t)
	must.Do(t, h.End.Close())
	if h.engine.Wait() == nil {
		t.Error("the engine ended without a reason")
	}
	c := dialGreeted(t, h.engine)
	for range 2 { // the first one may find the lane still open
		_, _ = c.Write(requestFrame([]byte("key"), nil)) // it may have ended
	}
	c.wantFailure(errStoreGone.Error())
	must.Do(t, h.engine.Close())
	if n := h.engine.workers[0].counters.BadFrames; n > 0 {
		t.Errorf("%d bad frames of a client that sent none", n)
	}
}

// TestIllegalFrameBehindRequests checks that a client which sends an illegal frame first receives the
// answers to its earlier requests.
func TestIllegalFrameBehindRequests(t *testing.T) {
	const requests = 2
	h := playStore(t)
	c := dialGreeted(t, h.engine)
	request := requestFrame([]byte("key"), nil)
	c.send(bytes.Repeat(request, requests))
	for range requests {
		h.await()
	}
	c.send(changed(request, 5, 200))
	must.Do(t, c.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	if got, body, err := readFrame(c); err == nil {
		t.Fatalf("before its answers, the client received %+v %q", got, body)
	}
	must.Do(t, c.SetReadDeadline(time.Now().Add(testTimeout)))
	for range requests {
		h.reply(answerOf(1), LaneAnswer)
		must.Get(h.Poll())(t)
		if got, body, err := readFrame(c); err != nil || got.kind != kindAnswer {
			t.Errorf("the client received %+v %q, %v; want its answer", got, body, err)
		}
	}
	c.wantFailure("frame kind: found 200")
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
	must.Get(h.Poll())(t)
	if got, _, err := readFrame(other); err != nil || got.sequence != 77 {
		t.Errorf("the other client received %+v, %v; want the answer with sequence 77", got, err)
	}
}

// fillSocket answers requests at length, until the engine takes no more of a client that does not
// read. It returns how many of its requests have no answer.
func fillSocket(h *playedHalf) (waiting int) {
	h.t.Helper()
	const silence = 2 * time.Second // only a full socket keeps the next request back so long
	long := make([]byte, playedShape.SlotBytes)
	sequence := h.await().sequence
	for waiting = 1; ; waiting-- {
		for ; waiting < playedShape.Slots/2; waiting++ {
			if _, there := h.next(silence); !there {
				return waiting
			}
		}
		putHeader(long, header{
			bytes: len(long), kind: kindAnswer, count: 1, sequence: sequence,
		})
		h.reply(long, LaneAnswer)
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
	must.Get(h.Poll())(t)
	for n := range requests {
		if _, _, err := readFrame(greedy); err != nil {
			t.Fatalf("answer %d: %v", n, err)
		}
	}
}

// TestEnergyOfHalves checks that the counters of both machines are joined, that those of one machine
// count once, and that half of the energy is not told.
func TestEnergyOfHalves(t *testing.T) {
	own := energy.Reading{{Name: "package-0", UJ: 1}}
	theirs := energy.Reading{{Name: "package-0", UJ: 2}}
	both := energy.Reading{{Name: "package-0", UJ: 1}, {Name: "store half's package-0", UJ: 2}}
	for name, test := range map[string]struct {
		machine, there    string
		own, theirs, want energy.Reading
		warned            bool
	}{
		"two machines":             {"a", "b", own, theirs, both, false},
		"one machine":              {"a", "a", own, theirs, own, false},
		"one process may not read": {"a", "a", nil, theirs, theirs, false},
		"only the engine's":        {"a", "b", own, nil, nil, true},
		"only the store half's":    {"a", "b", nil, theirs, nil, true},
		"maybe one machine":        {"", "", own, theirs, nil, true},
		"none":                     {"a", "b", nil, nil, nil, false},
	} {
		s := kvs.Stats{Energy: slices.Clone(test.own)}
		addEnergy(&s, &kvs.Stats{
			Energy: test.theirs,
			Parts:  []kvs.PartStats{{Part: kvs.PartStore, Machine: test.there}},
		}, test.machine)
		if !slices.Equal(s.Energy, test.want) || (len(s.Warnings) > 0) != test.warned {
			t.Errorf("%s: found %v, warnings %q; want %v", name, s.Energy, s.Warnings, test.want)
		}
	}
}

// TestFactsOfAnEngine checks that lanes are emulated if the device of either half is software, and
// that they name both devices.
func TestFactsOfAnEngine(t *testing.T) {
	f := playedFacts()
	f.Lanes.Provider, f.Lanes.Emulated = "softroce", true
	h := must.Get(playStoreOf(t, f, [2]string{"shm", "shm"}))(t)
	got := h.engine.Facts().Lanes
	if got.Provider != "shm to softroce" || !got.Emulated {
		t.Errorf("found %+v", got)
	}
}

// TestEngineRefusesStoreHalf checks that an engine names what is wrong with the facts of its store
// half, and prints no control character.
func TestEngineRefusesStoreHalf(t *testing.T) {
	for want, change := range map[string]func(*kvs.Facts){
		"store: found":                   func(f *kvs.Facts) { f.Store = "redis" },
		"allowed: printable":             func(f *kvs.Facts) { f.Store = "re\x1b[31md" },
		"found one without lanes":        func(f *kvs.Facts) { f.Lanes = nil },
		"found 1 here and 2 at":          func(f *kvs.Facts) { f.Lanes.Lanes, f.Partitions = 2, 2 },
		"2 partitions for 1 threads of ": func(f *kvs.Facts) { f.Partitions = 2 },
	} {
		f := playedFacts()
		change(&f)
		_, err := playStoreOf(t, f, [2]string{"shm", "shm"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("found %v, want %q", err, want)
		}
	}
}

// TestIdleEngineAcknowledges checks that an engine without requests acknowledges what a software
// device of the store half repeats, as it does with an answer whose acknowledgement was lost. The
// device would give the engine up otherwise, and the lane would end.
func TestIdleEngineAcknowledges(t *testing.T) {
	h := must.Get(playStoreOf(t, playedFacts(), [2]string{
		"softroce:" + verbstest.Addr(1), "softroce:" + verbstest.Addr(2),
	}))(t)
	acknowledged := func() uint64 { return h.device.Counters()["rx_packets"] }
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
		if _, err := h.Poll(); err != nil { // what is left of the start
			t.Fatal(err)
		}
	}
	before := acknowledged()
	h.reply(answerOf(1), LaneAnswer) // of no request: nothing else makes the engine look
	for end := time.Now().Add(testTimeout); acknowledged() == before; {
		must.Get(h.Poll())(t)
		if time.Now().After(end) {
			t.Fatal("neither an acknowledgement nor the end of the lane")
		}
	}
}
