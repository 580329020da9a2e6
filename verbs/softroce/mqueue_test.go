package softroce

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/sidechannel"
)

// TestLaneOverFaultyWire checks that a lane loses, repeats and swaps no message, whatever the wire
// does with its packets.
func TestLaneOverFaultyWire(t *testing.T) {
	rates := []float64{.05, .01, .1}
	if testing.Short() {
		rates = rates[:1]
		t.Log("a short run: one rate")
	}
	for seed, rate := range rates {
		for _, answers := range []mqueue.Answers{mqueue.Read, mqueue.Written} {
			t.Run(fmt.Sprintf("rate=%v/%s", rate, answers), func(t *testing.T) {
				there, back := newFaulty(uint64(seed), rate), newFaulty(uint64(seed)+100, rate)
				quick := func(f *faulty) Options {
					return Options{
						// A peer may have no CPU for long.
						MTU: 256, AckTimeout: 500 * time.Microsecond, RetryCount: 10_000,
						hooks: hooks{received: f.hook},
					}
				}
				owner, mover := faultyLane(t, answers, openTest(t, quick(there)), openTest(t, quick(back)))
				const messages = 200
				var both sync.WaitGroup
				both.Go(func() {
					if err := echo(owner, messages); err != nil {
						t.Error("owner:", err)
					}
				})
				if err := count(mover, messages); err != nil {
					t.Error("mover:", err)
				}
				both.Wait()
				if there.lost+back.lost == 0 || there.duplicated+back.duplicated == 0 {
					t.Errorf("the wire did nothing: %+v, %+v", there, back)
				}
			})
		}
	}
}

func faultyLane(t *testing.T, answers mqueue.Answers, a, b verbs.Device) (owner, mover *mqueue.End) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	dialed := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	accepted := must.Get(l.Accept())(t)
	var both sync.WaitGroup
	var ownerErr, moverErr error
	both.Go(func() {
		owner, ownerErr = mqueue.Offer(sidechannel.New(accepted), mqueue.Config{
			Shape: mqueue.Shape{Slots: 8, SlotBytes: 1000}, Answers: answers, Device: a, Timeout: time.Minute,
		})
	})
	both.Go(func() { mover, moverErr = mqueue.Accept(sidechannel.New(dialed), b, mqueue.Anything) })
	both.Wait()
	if ownerErr != nil || moverErr != nil {
		t.Fatalf("owner: %v; mover: %v", ownerErr, moverErr)
	}
	t.Cleanup(func() {
		for _, e := range []*mqueue.End{owner, mover} {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return owner, mover
}

// count sends numbers, and expects each one's answer: the number, repeated.
func count(e *mqueue.End, n uint64) error {
	sent := uint64(0)
	for got, begun := uint64(0), time.Now(); got < n; {
		if _, err := e.Poll(); err != nil {
			return err
		}
		for room := e.Slot(); room != nil && sent < n; room = e.Slot() {
			binary.LittleEndian.PutUint64(room, sent)
			if err := e.Send(8, uint16(sent)); err != nil {
				return err
			}
			sent++
		}
		for m, ok := e.Receive(); ok; m, ok = e.Receive() {
			for i := 0; i < len(m.Bytes); i += 8 {
				if v := binary.LittleEndian.Uint64(m.Bytes[i:]); v != got || m.Code != uint16(got) {
					return fmt.Errorf("answer %d: found %d", got, v)
				}
			}
			if want := 8 * int(got%125+1); len(m.Bytes) != want {
				return fmt.Errorf("answer %d: %d bytes, want %d", got, len(m.Bytes), want)
			}
			got++
		}
		if time.Since(begun) > time.Minute {
			return fmt.Errorf("stuck after %d answers", got)
		}
	}
	return nil
}

// echo answers numbers.
func echo(e *mqueue.End, n uint64) error {
	begun := time.Now()
	for done := uint64(0); done < n; {
		if _, err := e.Poll(); err != nil {
			return err
		}
		for m, ok := e.Receive(); ok; m, ok = e.Receive() {
			v := binary.LittleEndian.Uint64(m.Bytes)
			if v != done {
				return fmt.Errorf("request %d: found %d", done, v)
			}
			room := e.Slot()
			for ; room == nil; room = e.Slot() {
				if _, err := e.Poll(); err != nil {
					return err
				}
			}
			size := 8 * int(v%125+1)
			for i := 0; i < size; i += 8 {
				binary.LittleEndian.PutUint64(room[i:], v)
			}
			if err := e.Send(size, m.Code); err != nil {
				return err
			}
			done++
		}
		if time.Since(begun) > time.Minute {
			return fmt.Errorf("stuck after %d requests", done)
		}
	}
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		if _, err := e.Poll(); err != nil { // the last answers may have to leave again
			return err
		}
	}
	return nil
}
