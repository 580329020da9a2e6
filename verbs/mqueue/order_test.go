package mqueue

import (
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/litmus"
	"dpukv/verbs"
)

// backward is a device that places a WRITE from high to low addresses: the last word, a while
// later the rest. If it is lawless, the rest waits for the next WRITE, and no READ helps.
type backward struct {
	verbs.Device
	lawless bool
}

type backwardPD struct {
	verbs.PD
	device backward
}

type backwardQP struct {
	verbs.QP
	device backward
	late   *[]verbs.SendWR
}

func (d backward) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return backwardPD{pd, d}, err
}

func (p backwardPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	qp, err := p.PD.CreateQP(cfg)
	return backwardQP{qp, p.device, new([]verbs.SendWR)}, err
}

func (d backward) CreateCQ(n int) (verbs.CQ, error) { return d.Device.CreateCQ(2 * n) }

func (q backwardQP) PostSend(wrs []verbs.SendWR) (int, error) {
	for i, wr := range wrs {
		if wr.Op != verbs.OpWrite {
			if _, err := q.QP.PostSend(wrs[i : i+1]); err != nil {
				return i, err
			}
			continue
		}
		if err := q.write(wr); err != nil {
			return i, err
		}
	}
	return len(wrs), nil
}

func (q backwardQP) write(wr verbs.SendWR) error {
	last, rest := wr, wr
	rest.Local.Length -= wordBytes
	rest.Flags &^= verbs.Signaled
	last.Local.Addr += uint64(rest.Local.Length)
	last.Remote += uint64(rest.Local.Length)
	last.Local.Length = wordBytes
	late := *q.late
	*q.late = nil
	if _, err := q.QP.PostSend([]verbs.SendWR{last}); err != nil {
		return err
	}
	if q.device.lawless {
		*q.late = []verbs.SendWR{rest}
	} else {
		late = append(late, rest)
	}
	const visible = 100 * time.Microsecond // the other end runs meanwhile
	time.Sleep(visible)
	_, err := q.QP.PostSend(late)
	return err
}

func backwardSHM(t testing.TB) verbs.Device { return backward{openSHM(t, 0), false} }

// TestOrderIsChecked checks that each end which writes from high to low makes the lane fenced, and
// that a fenced lane carries its messages whole.
func TestOrderIsChecked(t *testing.T) {
	for name, test := range map[string]struct {
		way                          Answers
		ownerBackward, moverBackward bool
		want                         Ordering
	}{
		"requests":          {Read, false, true, Fenced},
		"requests, write":   {Written, false, true, Fenced},
		"answers, write":    {Written, true, false, Fenced},
		"both":              {Written, true, true, Fenced},
		"owner never sends": {Read, true, false, LowToHigh},
	} {
		t.Run(name, func(t *testing.T) {
			devices := []verbs.Device{openSHM(t, 0), openSHM(t, 1)}
			for i, back := range []bool{test.ownerBackward, test.moverBackward} {
				if back {
					devices[i] = backwardSHM(t)
				}
			}
			owner, mover := laneOf(t,
				Config{Shape: Shape{4, 300}, Answers: test.way, Device: devices[0]}, devices[1])
			for _, e := range []*End{owner, mover} {
				if got := e.Facts().Ordering; got != test.want {
					t.Fatalf("ordering %q, want %q", got, test.want)
				}
			}
			exchange(t, mover, owner, 200)
		})
	}
}

// TestTearWithoutFence checks that the device of TestOrderIsChecked tears messages, if nothing
// fences them.
func TestTearWithoutFence(t *testing.T) {
	owner, mover := laneOf(t, Config{Shape: Shape{4, 300}, Device: openSHM(t, 0)}, backwardSHM(t))
	for _, e := range []*End{owner, mover} {
		e.fenced = false
	}
	torn := make(chan int, 2)
	for _, e := range []*End{owner, mover} {
		go func() {
			late, err := newCheck(e, DefaultTimeout, func() error { return nil }).countLate()
			if err != nil {
				t.Error(err)
			}
			torn <- late
		}()
	}
	if a, b := <-torn, <-torn; a == 0 || a != b {
		t.Errorf("%d and %d torn messages", a, b)
	}
}

// TestNoOrderAtAll checks that a device whose WRITEs become visible after a later READ is refused.
func TestNoOrderAtAll(t *testing.T) {
	a, b := channels(t)
	var both sync.WaitGroup
	for _, connect := range []func() (*End, error){
		func() (*End, error) {
			return Offer(a, Config{Shape: Shape{4, 300}, Device: openSHM(t, 0)})
		},
		func() (*End, error) { return Accept(b, backward{openSHM(t, 1), true}, Anything) },
	} {
		both.Go(func() {
			if e, err := connect(); err == nil {
				t.Errorf("connected: %+v", e.Facts())
				_ = e.Close()
			} else {
				checkError(t, err, "order of bytes")
			}
		})
	}
	both.Wait()
}

// TestOrderOfFetch checks a message by READ on Armv8. The owner stores a payload, then its control
// word with release order. The device copies the control word into the mover's memory. The mover
// loads it with acquire order before the device copies the payload.
func TestOrderOfFetch(t *testing.T) {
	owner := func(publish func(string, int) litmus.Instruction) litmus.Thread {
		return litmus.Thread{litmus.Store("payload", 1), publish("control", 1)}
	}
	mover := func(look func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{
			litmus.Load("read", "control"), litmus.StoreFrom("fetched", "read"), look("seen", "fetched"),
			litmus.Load("taken", "payload"),
		}
	}
	stale := func(o litmus.Outcome) bool { return o["seen"] == 1 && o["taken"] == 0 }
	litmus.Check(t, map[string]litmus.Case{
		"as it is":               litmus.Forbids(stale, owner(litmus.StoreRelease), mover(litmus.LoadAcquire)),
		"control stored plainly": litmus.Allows(stale, owner(litmus.Store), mover(litmus.LoadAcquire)),
		"control loaded plainly": litmus.Allows(stale, owner(litmus.StoreRelease), mover(litmus.Load)),
	})
}

// TestOrderOfReusedSlot checks a slot on Armv8 whose message the peer has taken. Its next message,
// in the other direction, gives the slot back.
func TestOrderOfReusedSlot(t *testing.T) {
	type store = func(string, int) litmus.Instruction
	type load = func(string, string) litmus.Instruction
	sender := func(look load) litmus.Thread {
		return litmus.Thread{
			litmus.Store("slot", 1), litmus.StoreRelease("request", 1), look("back", "answer"),
			litmus.Store("slot", 2),
		}
	}
	receiver := func(publish store) litmus.Thread {
		return litmus.Thread{
			litmus.LoadAcquire("there", "request"), litmus.Load("taken", "slot"), publish("answer", 1),
		}
	}
	// The sender stores the second message only after it has found the answer, and the receiver
	// answers only a request that is there.
	early := func(o litmus.Outcome) bool { return o["back"] == 1 && o["there"] == 1 && o["taken"] == 2 }
	litmus.Check(t, map[string]litmus.Case{
		"as it is":              litmus.Forbids(early, sender(litmus.LoadAcquire), receiver(litmus.StoreRelease)),
		"answer stored plainly": litmus.Allows(early, sender(litmus.LoadAcquire), receiver(litmus.Store)),
		"answer loaded plainly": litmus.Allows(early, sender(litmus.Load), receiver(litmus.StoreRelease)),
	})
}
