package mqueue

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/litmus"
	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/nasty"
	"dpukv/verbs/shm"
)

// over wraps a device over shm.
func over(t testing.TB, c nasty.Config) *nasty.Device {
	d := nasty.Wrap(must.Get(shm.Open(shm.Config{}))(t), c)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// promising is a device that promises an order of its own.
type promising struct {
	verbs.Device
	placement verbs.Placement
}

type promisingPD struct {
	verbs.PD
	device promising
}

type promisingQP struct {
	verbs.QP
	device promising
}

func (d promising) Info() verbs.DeviceInfo {
	i := d.Device.Info()
	i.Placement = d.placement
	return i
}

func (d promising) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return promisingPD{pd, d}, err
}

func (p promisingPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	qp, err := p.PD.CreateQP(cfg)
	return promisingQP{qp, p.device}, err
}

func (q promisingQP) Local() verbs.Endpoint {
	e := q.QP.Local()
	e.Device = q.device.Info()
	return e
}

// TestPromiseDecides checks that a lane is fenced unless both devices promise that the last word of
// a WRITE is the last, and that it then carries its messages whole.
func TestPromiseDecides(t *testing.T) {
	for name, test := range map[string]struct {
		device verbs.Device
		want   Ordering
	}{
		"ordered":           {over(t, nasty.Config{Model: nasty.Ordered}), LowToHigh},
		"last-word":         {over(t, nasty.Config{Model: nasty.LastWord}), LowToHigh},
		"pcie":              {over(t, nasty.Config{Model: nasty.PCIe}), Fenced},
		"rarely pcie":       {over(t, nasty.Config{Model: nasty.PCIe, Rare: 100}), Fenced},
		"unknown":           {promising{openSHM(t, 0), verbs.Unknown}, Fenced},
		"of another build":  {promising{openSHM(t, 0), "by colour"}, Fenced},
		"before this build": {promising{openSHM(t, 0), ""}, Fenced},
	} {
		for _, way := range []Answers{Read, Written} {
			for _, swapped := range []bool{false, true} {
				t.Run(fmt.Sprint(name, "/", way, "/", swapped), func(t *testing.T) {
					mover, device := openSHM(t, 1), test.device
					if swapped {
						mover, device = device, mover
					}
					owner, requester := laneOf(t, Config{Shape: Shape{4, 300}, Answers: way, Device: device}, mover)
					for _, e := range []*End{owner, requester} {
						if got := e.Facts().Ordering; got != test.want {
							t.Fatalf("ordering %q, want %q", got, test.want)
						}
					}
					exchange(t, requester, owner, 100)
				})
			}
		}
	}
}

// TestNoPromise checks that devices which promise nothing have no lane, and that both ends say so.
func TestNoPromise(t *testing.T) {
	ownerErr, moverErr := connectBoth(t, Config{Shape: Shape{4, 64}, Device: openSHM(t, 0)},
		over(t, nasty.Config{Model: nasty.IBTA}))
	for _, err := range []error{ownerErr, moverErr} {
		checkError(t, err, `allowed for a lane: "unknown" or more`)
	}
}

// backward gives the pieces of a manual device effect, the last one first.
func backward(t *testing.T, d *nasty.Device) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		const visible = 100 * time.Microsecond // the other end runs meanwhile
		for {
			select {
			case <-over:
				return
			case <-time.After(visible):
			}
			if n := d.Waiting(); n > 0 {
				if err := d.Step(n - 1); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	t.Cleanup(func() { close(over); <-ended })
}

// TestAlarm checks that the check fences the lane of a device that breaks its promise.
func TestAlarm(t *testing.T) {
	d := over(t, nasty.Config{Model: nasty.PCIe, Manual: true})
	backward(t, d)
	owner, mover := laneOf(t, Config{Shape: Shape{4, 300}, Device: openSHM(t, 0)}, promising{d, verbs.LastWord})
	for _, e := range []*End{owner, mover} {
		if got := e.Facts().Ordering; got != Fenced {
			t.Errorf("ordering %q, want %q", got, Fenced)
		}
	}
	exchange(t, mover, owner, 50)
}

// TestEveryOrder gives the lines of a message effect in every order, with a look of the receiver at
// every choice of the times between them. No message of a fenced lane is torn, and without the
// fence some are.
func TestEveryOrder(t *testing.T) {
	kernel.NeedNative(t) // each of its 884 devices reserves addresses, of which qemu-user keeps a table
	for _, fenced := range []bool{true, false} {
		for lines := 1; lines <= 4; lines++ {
			smallest := ""
			for _, order := range litmus.Orders(lines) {
				// A part of the test ends its devices: hundreds at once would be slow under an emulator.
				t.Run(fmt.Sprint(fenced, order), func(t *testing.T) {
					for looks := range 1 << lines {
						if got := history(t, fenced, lines, order, looks); got != "" && smallest == "" {
							smallest = fmt.Sprintf("%d lines placed %v, looks after %b: %s", lines, order, looks, got)
						}
					}
				})
			}
			t.Log("fenced", fenced, smallest)
			if torn := smallest != ""; torn != (!fenced && lines > 1) {
				t.Errorf("fenced %v, %d lines: torn %v: %s", fenced, lines, torn, smallest)
			}
		}
	}
}

// history is one history of TestEveryOrder: what the receiver finds, if that is not what was sent.
func history(t *testing.T, fenced bool, lines int, order []int, looks int) string {
	n := lines*lineBytes - wordBytes
	d := over(t, nasty.Config{Model: nasty.PCIe, Manual: true})
	x := newBareOn(t, d, Written, Shape{1, n})
	x.mover.fenced = fenced
	want := bytes.Repeat([]byte("B"), n)
	must.Do(t, x.mover.Send(copy(x.mover.Slot(), want), 0))
	for turn := range 8 {
		if _, err := x.mover.Poll(); err != nil {
			t.Fatal(err)
		}
		for step := 0; d.Waiting() > 0; step++ {
			pick := 0
			if turn == 0 && step < lines {
				for _, earlier := range order[:step] {
					pick -= btoi(earlier < order[step])
				}
				pick += order[step]
			}
			must.Do(t, d.Step(pick))
			if looks>>min(step, lines-1)&1 == 0 {
				continue
			}
			if m, ok := x.owner.Receive(); ok && !bytes.Equal(m.Bytes, want) {
				return fmt.Sprintf("%d of %d bytes are old", bytes.Count(m.Bytes, []byte{0}), n)
			} else if ok {
				return ""
			}
		}
	}
	if m, ok := x.owner.Receive(); !ok || !bytes.Equal(m.Bytes, want) {
		return "no whole message"
	}
	return ""
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestNoOrderAtAll checks that a device whose WRITEs become visible after a later READ is refused.
// The device holds each payload back until the next list has left.
func TestNoOrderAtAll(t *testing.T) {
	var late []verbs.SendWR
	lawless := &broken{Device: promising{openSHM(t, 1), verbs.Lines}, post: func(q verbs.QP, wrs []verbs.SendWR) error {
		held := late
		late = nil
		for _, wr := range wrs {
			if wr.Op == verbs.OpWrite && wr.Local.Length > wordBytes {
				late = append(late, wr)
			} else if _, err := q.PostSend([]verbs.SendWR{wr}); err != nil {
				return err
			}
		}
		const visible = 100 * time.Microsecond // the other end runs meanwhile
		time.Sleep(visible)
		_, err := q.PostSend(held)
		return err
	}}
	ownerErr, moverErr := connectBoth(t, Config{Shape: Shape{4, 300}, Device: openSHM(t, 0)}, lawless)
	for _, err := range []error{ownerErr, moverErr} {
		checkError(t, err, "order of bytes: found a WRITE")
	}
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
