package mqueue

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/sidechannel"
)

// channels returns the two ends of a side channel.
func channels(t testing.TB) (a, b *sidechannel.Channel) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return sidechannel.New(near), sidechannel.New(far)
}

func open(t testing.TB, name string) verbs.Device {
	t.Helper()
	d, err := provider.Open(name, provider.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// lane connects two ends in this process.
func lane(t testing.TB, cfg Config, movers verbs.Device) (owner, mover *End) {
	t.Helper()
	a, b := channels(t)
	type result struct {
		e   *End
		err error
	}
	done := make(chan result, 1)
	go func() {
		e, err := Offer(a, cfg)
		done <- result{e, err}
	}()
	mover, err := Accept(b, movers)
	r := <-done
	if err != nil || r.err != nil {
		t.Fatal(err, r.err)
	}
	t.Cleanup(func() {
		if err := r.e.Close(); err != nil {
			t.Error(err)
		}
		if err := mover.Close(); err != nil {
			t.Error(err)
		}
	})
	return r.e, mover
}

// devices are the providers whose two ends this machine can have.
var devices = [][2]string{{"shm", "shm"}, {"softroce:127.0.61.1", "softroce:127.0.61.2"}}

// each runs a test with all kinds of lanes.
func each(t *testing.T, s Shape, do func(t *testing.T, owner, mover *End)) {
	for _, device := range devices {
		for _, answers := range []Answers{Read, Written} {
			for _, asks := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/owner asks=%v", device[0], answers, asks), func(t *testing.T) {
					cfg := Config{Shape: s, Device: open(t, device[0]), Answers: answers, Asks: asks}
					owner, mover := lane(t, cfg, open(t, device[1]))
					do(t, owner, mover)
				})
			}
		}
	}
}

// content is the content of a request or an answer.
func content(b []byte, n uint64, answer bool) []byte {
	r := rand.New(rand.NewPCG(n, 7))
	size := r.IntN(len(b) + 1)
	if r.IntN(4) == 0 {
		size = 0
	}
	for i := range b[:size] {
		b[i] = byte(r.Uint32())
		if answer {
			b[i] ^= 0xff
		}
	}
	return b[:size]
}

// TestLane has requests and answers of random sizes, with as many requests under way as fit. Nothing
// is lost, repeated, changed, or out of order.
func TestLane(t *testing.T) {
	const requests = 5000
	each(t, Shape{Slots: 8, SlotBytes: 520}, func(t *testing.T, owner, mover *End) {
		asker, answerer := mover, owner
		if owner.asks {
			asker, answerer = owner, mover
		}
		var asked, answered, came uint64
		want := make([]byte, 520)
		end := time.Now().Add(time.Minute)
		for came < requests && time.Now().Before(end) {
			for asked < requests {
				room := asker.Slot()
				if room == nil {
					break
				}
				asked++
				if err := asker.Send(len(content(room, asked, false)), uint8(asked)); err != nil {
					t.Fatal(err)
				}
			}
			for _, e := range []*End{asker, answerer} {
				if _, err := e.Poll(); err != nil {
					t.Fatal(err)
				}
			}
			m, there, err := answerer.Receive()
			if err != nil {
				t.Fatal(err)
			}
			if there {
				answered++
				if !bytes.Equal(m.Bytes, content(want, answered, false)) || m.Code != uint8(answered) {
					t.Fatalf("request %d came with other content", answered)
				}
				room := answerer.Slot()
				if err := answerer.Send(len(content(room, answered, true)), 0); err != nil {
					t.Fatal(err)
				}
			}
			for {
				m, there, err := asker.Receive()
				if err != nil {
					t.Fatal(err)
				}
				if !there {
					break
				}
				came++
				if !bytes.Equal(m.Bytes, content(want, came, true)) {
					t.Fatalf("answer %d came with other content", came)
				}
			}
		}
		if came != requests {
			t.Fatalf("%d of %d answers came", came, requests)
		}
		if owner.Facts().Fenced {
			t.Error("the lane is fenced, and needs no fences")
		}
	})
}

// TestNoAllocation: no message allocates.
func TestNoAllocation(t *testing.T) {
	for _, answers := range []Answers{Read, Written} {
		cfg := Config{Shape: Shape{8, 1024}, Device: open(t, "shm"), Answers: answers}
		owner, mover := lane(t, cfg, open(t, "shm"))
		if n := testing.AllocsPerRun(1000, func() { roundTrip(t, mover, owner, 64) }); n > 0 {
			t.Errorf("%s: a round trip allocates %v times", answers, n)
		}
	}
}

// roundTrip sends a request and its answer, both by this goroutine.
func roundTrip(t testing.TB, asker, answerer *End, size int) {
	asker.Slot()
	if err := asker.Send(size, 0); err != nil {
		t.Fatal(err)
	}
	take(t, answerer)
	answerer.Slot()
	if err := answerer.Send(size, 0); err != nil {
		t.Fatal(err)
	}
	take(t, asker)
}

func take(t testing.TB, e *End) {
	for range 1 << 20 {
		if _, err := e.Poll(); err != nil {
			t.Fatal(err)
		}
		if _, there, err := e.Receive(); err != nil {
			t.Fatal(err)
		} else if there {
			return
		}
	}
	t.Fatal("nothing came")
}
