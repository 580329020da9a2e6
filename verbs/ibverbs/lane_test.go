//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/sidechannel"
)

// TestLane sends messages of many sizes both ways over a lane of halves, on one device. Each answer
// is its request, turned round.
func TestLane(t *testing.T) {
	for _, answers := range []mqueue.Answers{mqueue.Read, mqueue.Written} {
		t.Run(string(answers), func(t *testing.T) {
			owner, mover := laneOf(t, answers)
			t.Logf("order of writes: %s", mover.Facts().Ordering)
			const messages = 500
			sent, got := 0, 0
			for end := time.Now().Add(time.Minute); got < messages; {
				if time.Now().After(end) {
					t.Fatalf("%d answers after a minute, want %d", got, messages)
				}
				for room := mover.Slot(); room != nil && sent < messages; room = mover.Slot() {
					sendMessage(t, mover, room, sent, false)
					sent++
				}
				pollLane(t, mover)
				pollLane(t, owner)
				for m, there := owner.Receive(); there; m, there = owner.Receive() {
					checkMessage(t, m, false)
					room := owner.Slot()
					for ; room == nil; room = owner.Slot() {
						pollLane(t, owner)
					}
					sendMessage(t, owner, room, int(m.Code), true)
				}
				pollLane(t, owner)
				for m, there := mover.Receive(); there; m, there = mover.Receive() {
					if int(m.Code) != got {
						t.Fatalf("answer %d where %d is next", m.Code, got)
					}
					checkMessage(t, m, true)
					got++
				}
			}
		})
	}
}

func laneOf(t *testing.T, answers mqueue.Answers) (owner, mover *mqueue.End) {
	t.Helper()
	d := open(t)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	there := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	here := must.Get(l.Accept())(t)
	var both sync.WaitGroup
	var ownerErr, moverErr error
	both.Go(func() {
		owner, ownerErr = mqueue.Offer(sidechannel.New(here), mqueue.Config{
			Shape: mqueue.Shape{Slots: 8, SlotBytes: 5000}, Answers: answers, Device: d,
			Timeout: time.Minute,
		})
	})
	both.Go(func() { mover, moverErr = mqueue.Accept(sidechannel.New(there), d, mqueue.Anything) })
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

// textOf is the text of a message: of 0 to 4,990 bytes, each of which its number decides.
func textOf(number int, answer bool) []byte {
	b := byte(number)
	if answer {
		b = ^b
	}
	return bytes.Repeat([]byte{b}, number*10)
}

func sendMessage(t *testing.T, e *mqueue.End, room []byte, number int, answer bool) {
	t.Helper()
	must.Do(t, e.Send(copy(room, textOf(number, answer)), uint16(number)))
}

func checkMessage(t *testing.T, m mqueue.Message, answer bool) {
	t.Helper()
	if !bytes.Equal(m.Bytes, textOf(int(m.Code), answer)) {
		t.Fatalf("message %d has other bytes than were sent", m.Code)
	}
}

func pollLane(t *testing.T, e *mqueue.End) {
	t.Helper()
	if _, err := e.Poll(); err != nil {
		t.Fatal(err)
	}
}
