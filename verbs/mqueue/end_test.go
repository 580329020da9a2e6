package mqueue

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/shm"
	"dpukv/verbs/sidechannel"
	"dpukv/verbs/softroce"
	"dpukv/verbs/verbstest"
)

// opener opens the device of end n, 0 or 1.
type opener func(t testing.TB, n int) verbs.Device

func openSHM(t testing.TB, _ int) verbs.Device { return must.Keep(shm.Open(shm.Config{}))(t) }

func openSoftRoCE(t testing.TB, n int) verbs.Device {
	return must.Keep(softroce.Open(softroce.Options{Addr: netip.MustParseAddr(verbstest.Addr(n))}))(t)
}

var providers = map[string]opener{"shm": openSHM, "softroce": openSoftRoCE}

// channels returns the two ends of a side channel.
func channels(t testing.TB) (a, b *sidechannel.Channel) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	dialed := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	accepted := must.Get(l.Accept())(t)
	return sidechannel.New(dialed), sidechannel.New(accepted)
}

// lane connects two ends.
func lane(t testing.TB, open opener, cfg Config) (owner, mover *End) {
	t.Helper()
	cfg.Device = open(t, 0)
	return laneOf(t, cfg, open(t, 1))
}

func laneOf(t testing.TB, cfg Config, dev verbs.Device) (owner, mover *End) {
	t.Helper()
	a, b := channels(t)
	var ownerErr, moverErr error
	var both sync.WaitGroup
	both.Go(func() { owner, ownerErr = Offer(a, cfg) })
	both.Go(func() { mover, moverErr = Accept(b, dev, Anything) })
	both.Wait()
	for _, e := range []*End{owner, mover} {
		if e != nil {
			t.Cleanup(func() {
				if err := e.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	if ownerErr != nil || moverErr != nil {
		t.Fatalf("owner: %v; mover: %v", ownerErr, moverErr)
	}
	return owner, mover
}

// request is what the tests send as message n.
func request(n int, most int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	b := make([]byte, r.IntN(most+1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// sendAll sends n requests, as many at once as there are slots, and checks the answers.
func sendAll(e *End, n int) error {
	sent, deadline := 0, time.Now().Add(time.Minute)
	for answered := 0; answered < n; {
		if _, err := e.Poll(); err != nil {
			return err
		}
		for sent < n {
			room := e.Slot()
			if room == nil {
				break
			}
			if err := e.Send(copy(room, request(sent, len(room))), uint16(sent)); err != nil {
				return err
			}
			sent++
		}
		for m, ok := e.Receive(); ok; m, ok = e.Receive() {
			want := request(answered, e.shape.SlotBytes)
			slices.Reverse(want)
			if !bytes.Equal(m.Bytes, want) || m.Code != ^uint16(answered) {
				return fmt.Errorf("answer %d: code %#x, %d bytes, want %d", answered, m.Code, len(m.Bytes), len(want))
			}
			answered++
		}
		if sent-answered > e.shape.Slots {
			return fmt.Errorf("%d requests in flight", sent-answered)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("stuck after %d answers", answered)
		}
		if _, err := e.rest(); err != nil {
			return err
		}
	}
	return nil
}

// answer answers n requests.
func answer(e *End, n int) error {
	deadline := time.Now().Add(time.Minute)
	for done := 0; done < n; {
		if _, err := e.Poll(); err != nil {
			return err
		}
		for m, ok := e.Receive(); ok; m, ok = e.Receive() {
			room := e.Slot()
			for room == nil {
				if _, err := e.Poll(); err != nil {
					return err
				}
				room = e.Slot()
			}
			copy(room, m.Bytes)
			slices.Reverse(room[:len(m.Bytes)])
			if err := e.Send(len(m.Bytes), ^m.Code); err != nil {
				return err
			}
			done++
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("stuck after %d answers", done)
		}
		if _, err := e.rest(); err != nil {
			return err
		}
	}
	return flush(e)
}

// flush polls until the messages have left.
func flush(e *End) error {
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
		if _, err := e.Poll(); err != nil {
			return err
		}
		if _, err := e.rest(); err != nil {
			return err
		}
	}
	return nil
}

// exchange runs both ends.
func exchange(t *testing.T, requester, answerer *End, n int) {
	t.Helper()
	var both sync.WaitGroup
	both.Go(func() {
		if err := answer(answerer, n); err != nil {
			t.Error("answerer:", err)
			_ = answerer.Close()
		}
	})
	if err := sendAll(requester, n); err != nil {
		t.Error("requester:", err)
		_ = requester.Close() // the answerer need not wait
	}
	both.Wait()
}

func TestExchange(t *testing.T) {
	messages := 300
	if testing.Short() {
		messages = 100
		t.Log("a short run: fewer messages")
	}
	for name, open := range providers {
		for _, way := range []Answers{Read, Written} {
			for _, ownerFirst := range []bool{false, true} {
				for _, shape := range []Shape{{1, 1}, {4, 100}, {16, 5000}} {
					t.Run(fmt.Sprint(name, "/", way, "/owner first ", ownerFirst, "/", shape), func(t *testing.T) {
						owner, mover := lane(t, open, Config{Shape: shape, Answers: way})
						requester, answerer := mover, owner
						if ownerFirst {
							requester, answerer = owner, mover
						}
						exchange(t, requester, answerer, messages)
						checkFacts(t, requester, answerer)
					})
				}
			}
		}
	}
}

func checkFacts(t *testing.T, ends ...*End) {
	t.Helper()
	for _, e := range ends {
		if f := e.Facts(); f.Ordering != LowToHigh || !f.Emulated || f.Shape != e.shape {
			t.Errorf("facts: %+v", f)
		}
	}
}

// TestOwnerCallsNoVerbs checks that the owner of a lane with answers by READ posts nothing.
func TestOwnerCallsNoVerbs(t *testing.T) {
	owner, mover := laneOf(t,
		Config{Shape: Shape{4, 100}, Device: &broken{Device: openSHM(t, 0)}}, openSHM(t, 1))
	exchange(t, mover, owner, 100)
}

// posted is a queue pair that remembers what it has posted.
type posted struct {
	verbs.QP
	wrs []verbs.SendWR
}

func (p *posted) PostSend(wrs []verbs.SendWR) (int, error) {
	p.wrs = append(p.wrs, wrs...)
	return p.QP.PostSend(wrs)
}

// held is a queue of completions that come only once it is no longer held.
type held struct {
	verbs.CQ
	held bool
}

func (h *held) Poll(wcs []verbs.WC) (int, error) {
	if h.held {
		return 0, nil
	}
	return h.CQ.Poll(wcs)
}

// TestDoorbellWaitsForFence checks that the control word of a fenced lane leaves after the READ
// behind its payload is complete.
func TestDoorbellWaitsForFence(t *testing.T) {
	for _, way := range []Answers{Read, Written} {
		x := newBare(t, way)
		x.mover.fenced = true
		s, cq := &posted{QP: x.mover.qp}, &held{x.mover.cq, true}
		x.mover.qp, x.mover.cq = s, cq
		copy(x.mover.Slot(), "payload")
		must.Do(t, x.mover.Send(len("payload"), 0))
		doorbell := func() (at int) {
			return slices.IndexFunc(s.wrs, func(wr verbs.SendWR) bool {
				return wr.Op == verbs.OpWrite && wr.Remote == x.mover.remote(x.owner.layout.inEnd(0))
			})
		}
		fence := func(wr verbs.SendWR) bool { return wr.ID>>kindShift == kindFence }
		for range 100 {
			x.turn()
		}
		if !slices.ContainsFunc(s.wrs, fence) || doorbell() >= 0 || x.owner.received > 0 {
			t.Errorf("%s: before the READ is complete: %+v", way, s.wrs)
		}
		cq.held = false
		for range 100 {
			x.turn()
		}
		if doorbell() < 0 || x.owner.received != 1 {
			t.Errorf("%s: after the READ: %d messages, %+v", way, x.owner.received, s.wrs)
		}
	}
}

// TestSlotWaitsForDevice checks that a slot is not free while the device may still read it, although
// the answer to its message is there.
func TestSlotWaitsForDevice(t *testing.T) {
	x := newBare(t, Written)
	cq := &held{x.mover.cq, true}
	x.mover.cq = cq
	for range x.shape.Slots {
		must.Do(t, x.mover.Send(len(x.mover.Slot()), 0))
		for x.turn(); x.owner.received < x.mover.sent; x.turn() {
			x.owner.Receive()
		}
		must.Do(t, x.owner.Send(0, 0))
		for x.turn(); x.mover.received < x.mover.sent; x.turn() {
			x.mover.Receive()
		}
	}
	if x.mover.Slot() != nil {
		t.Error("a slot whose WRITE is not complete is free")
	}
	cq.held = false
	x.turn()
	if x.mover.Slot() == nil {
		t.Error("no slot is free after all completions")
	}
}

// TestFetchStaysInControls checks that no READ of control words leaves their array, wherever in a lap
// it begins.
func TestFetchStaysInControls(t *testing.T) {
	x := newBare(t, Read)
	s := &posted{QP: x.mover.qp}
	x.mover.qp = s
	roundTrip(t, x) // laps begin within the array
	for range 3 {
		for range x.shape.Slots {
			must.Do(t, x.mover.Send(0, 0))
		}
		for x.mover.received < x.mover.sent {
			if x.turn(); x.owner.Slot() != nil {
				_ = x.owner.Send(0, 0)
			}
		}
	}
	begin := x.mover.remote(x.owner.layout.controls)
	end, reads := begin+uint64(x.shape.Slots*wordBytes), 0
	for _, wr := range s.wrs {
		if wr.Op != verbs.OpRead || wr.Remote < begin {
			continue
		}
		if reads++; wr.Remote+uint64(wr.Local.Length) > end {
			t.Fatalf("a READ of %d bytes, %d before the end of the control words", wr.Local.Length, end-wr.Remote)
		}
	}
	if reads < x.shape.Slots {
		t.Errorf("%d READs of control words", reads)
	}
}

// TestSequenceWraps checks the messages around the last sequence number.
func TestSequenceWraps(t *testing.T) {
	for _, way := range []Answers{Read, Written} {
		owner, mover := lane(t, openSHM, Config{Shape: Shape{8, 64}, Answers: way})
		for _, e := range []*End{owner, mover} {
			const start = 1<<24 - 32
			clear(e.memory)
			e.sent, e.received = start, start
			e.writer.rung, e.writer.posted, e.writer.completed, e.writer.fenced = start, start, start, start
			e.writer.signaled = start
			e.fetcher.busy, e.fetcher.fetched, e.fetcher.found = false, start, start
			_, _ = e.cq.Poll(e.wcs[:])
		}
		exchange(t, mover, owner, 100)
	}
}

// TestEmptyMessageOfSequence0 checks that no message looks like an empty slot.
func TestEmptyMessageOfSequence0(t *testing.T) {
	const message = sequenceMask
	if there, err := makeControl(message, 0, 0).of(message, Shape{4, 64}); !there || err != nil {
		t.Errorf("there: %v, %v", there, err)
	}
	if there, err := control(0).of(message, Shape{4, 64}); there || err != nil {
		t.Errorf("an empty slot: %v, %v", there, err)
	}
}

// TestControl checks that a control word has its parts.
func TestControl(t *testing.T) {
	word := makeControl(41, 1<<20, 0xfedc)
	var b [8]byte
	publish(b[:], 0, word)
	if word.sequence() != 42 || word.bytes() != 1<<20 || word.code() != 0xfedc || load(b[:], 0) != word ||
		binary.LittleEndian.Uint64(b[:]) != uint64(word) {
		t.Errorf("%#x", word)
	}
}
