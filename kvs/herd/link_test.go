package herd

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/simulation"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/nasty"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"
)

// lossyPair makes a server and a session. Both devices lose, duplicate and delay messages.
func lossyPair(t *testing.T, cfg Config, opts kvs.SessionOptions) (*Server, kvs.Session, *faulty, *faulty) {
	t.Helper()
	answers := &faulty{lose: .02, double: .02, delay: .02}
	requests := &faulty{lose: .02}
	cfg.open = answers.opener
	server := startServer(t, cfg)
	r := must.Get(Dial(context.Background(), server.Addr(),
		Options{RetryAfter: 2 * time.Millisecond, open: requests.opener}))(t)
	t.Cleanup(func() { r.Close() })
	return server, openTest(t, r, opts), answers, requests
}

// TestLossNeverShows checks that every operation has one answer, the right one. A successful ADD or
// DELETE whose answer was lost is still answered OK, and no late PUT overwrites a later one.
func TestLossNeverShows(t *testing.T) {
	for _, faithful := range []bool{false, true} {
		cfg := testConfig()
		cfg.Faithful = faithful
		server, s, answers, requests := lossyPair(t, cfg, kvs.SessionOptions{Batch: 16, Window: 4, Connections: 2})
		operations(t, s, 0)
		for round := range 20 {
			var sets, gets []kvs.Request
			for i := range 200 {
				sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(i), Value: value(round, 32)})
				gets = append(gets, kvs.Request{Op: kvs.Get, Key: key(i)})
			}
			do(t, s, sets)
			for i, a := range do(t, s, gets) {
				if a.Status != kvs.OK || string(a.Value) != string(value(round, 32)) {
					t.Fatalf("round %d key %d: %s % x", round, i, a.Status, a.Value)
				}
			}
		}
		traffic := s.Traffic()
		stats := must.Get(server.Stats())(t)
		repeats := stats.Workers[0].Repeats + stats.Workers[1].Repeats
		asked, answered := requests.faults(), answers.faults()
		t.Logf("requests: %d lost; answers: %d lost, %d doubled, %d delayed; %d retries, %d repeats seen, %d strays",
			asked.lost, answered.lost, answered.doubled, answered.late, traffic.Retries, repeats, traffic.Strays)
		if asked.lost == 0 || answered.lost == 0 || answered.late == 0 {
			t.Error("nothing was lost or late")
		}
		if traffic.Retries < uint64(asked.lost)/2 || traffic.Strays == 0 || repeats == 0 {
			t.Error("losses are not counted")
		}
	}
}

// TestOrderSurvivesLoss: where a session keeps the order, writes of a key in flight together have the
// outcomes of that order, although some requests are lost and their successors arrive.
func TestOrderSurvivesLoss(t *testing.T) {
	_, s, _, requests := lossyPair(t, testConfig(),
		kvs.SessionOptions{Batch: 8, Window: 4, Connections: 2, KeepOrder: true})
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	there := map[int]bool{}
	var all []kvs.Request
	var want []kvs.Status
	for i := range 10_000 {
		k := rng.IntN(20)
		q := kvs.Request{Op: kvs.Set + kvs.Op(rng.IntN(3)), Key: key(k), Value: value(i, 32)}
		status := kvs.OK
		switch {
		case q.Op == kvs.Add && there[k]:
			status = kvs.Exists
		case q.Op == kvs.Delete && !there[k]:
			status = kvs.NotFound
		}
		there[k] = q.Op != kvs.Delete
		all, want = append(all, q), append(want, status)
	}
	for i, a := range do(t, s, all) {
		if a.Status != want[i] {
			t.Fatalf("seed %d, operation %d, %s: found %s, want %s", seed, i, all[i].Op, a.Status, want[i])
		}
	}
	if lost := requests.faults().lost; lost == 0 {
		t.Error("no request was lost")
	}
}

// TestEveryAnswerHasABuffer checks that answers find buffers. A NIC receives by itself, and drops
// an answer without a buffer. So a client that was kept from running may take its answers and
// repost their buffers late.
func TestEveryAnswerHasABuffer(t *testing.T) {
	cfg := testConfig()
	cfg.Workers = 1
	cfg.Device = "softroce:" + verbstest.Addr(1)
	server, slow := startServer(t, cfg), &faulty{pause: time.Millisecond}
	r := must.Get(Dial(context.Background(), server.Addr(), Options{
		Device: "softroce:" + verbstest.Addr(2), RetryAfter: 10 * time.Second, open: slow.opener,
	}))(t)
	t.Cleanup(func() { r.Close() })
	byItself(t, r.device)
	s := openTest(t, r, kvs.SessionOptions{Batch: 32, Window: 2, Connections: 1})
	for i := range 1000 {
		k := key(i)
		request := kvs.Request{Op: kvs.Set, Key: k, Value: value(i, 32), Hash: hashOf(k)}
		for !must.Get(s.Submit(&request))(t) {
			time.Sleep(2 * time.Millisecond) // all answers arrive
			must.Get(s.Poll(nil, time.Second))(t)
		}
	}
	if traffic, n := s.Traffic(), r.DeviceCounters()["no_receive"]; traffic.Retries != 0 || n != 0 {
		t.Errorf("%d answers found no buffer; %+v", n, traffic)
	}
}

// byItself makes a device receive all the time, and not only when it is polled.
func byItself(t *testing.T, d verbs.Device) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Microsecond):
			}
			if _, err := d.Progress(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

// TestNothingIsRetriedWithoutLoss checks that nothing is sent twice, however long the server takes.
func TestNothingIsRetriedWithoutLoss(t *testing.T) {
	cfg := testConfig()
	cfg.Mode = partition.Cache
	server := startServer(t, cfg)
	r := must.Get(Dial(context.Background(), server.Addr(), Options{RetryAfter: 10 * time.Second}))(t)
	defer r.Close()
	s := openTest(t, r, kvs.SessionOptions{Batch: 32, Window: 2, Connections: 1})
	operations(t, s, 0)
	if traffic := s.Traffic(); traffic.Retries != 0 || traffic.Strays != 0 {
		t.Errorf("%+v", traffic)
	}
	for _, counters := range []map[string]uint64{server.DeviceCounters(), r.DeviceCounters()} {
		for name, n := range counters {
			if n != 0 {
				t.Errorf("%s: %d", name, n)
			}
		}
	}
}

// faulty is a device that loses, duplicates and delays sent messages. Its completion queues are
// slow.
type faulty struct {
	verbs.Device
	pause               time.Duration // before each look
	lose, double, delay float64       // shares; only datagrams are doubled and delayed: a UC drops what is out of order
	mu                  sync.Mutex    // guards rng and done
	rng                 *rand.Rand
	done                faults
}

// faults counts what a faulty device did.
type faults struct{ lost, doubled, late int }

// faults is safe beside the goroutines that send: a server still repeats answers when a test looks.
func (f *faulty) faults() faults {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}

// opener opens it in place of a device.
func (f *faulty) opener(name string, opts *provider.Options) (d verbs.Device, err error) {
	f.rng = rand.New(rand.NewPCG(1, uint64(f.lose*1000)))
	f.Device, err = openDevice(name, opts)
	return f, err
}

// Port takes little inline, so that both ways of sending are tried.
func (f *faulty) Port() (verbs.Port, error) {
	port, err := f.Device.Port()
	port.MaxInline = 64
	return port, err
}

func (f *faulty) AllocPD() (verbs.PD, error) {
	pd, err := f.Device.AllocPD()
	return faultyPD{pd, f}, err
}

func (f *faulty) CreateCQ(entries int) (verbs.CQ, error) {
	cq, err := f.Device.CreateCQ(entries)
	return faultyCQ{cq, f}, err
}

type faultyCQ struct {
	verbs.CQ
	device *faulty
}

func (q faultyCQ) Poll(wcs []verbs.WC) (int, error) {
	if q.device.pause > 0 {
		time.Sleep(q.device.pause)
	}
	return q.CQ.Poll(wcs)
}

type faultyPD struct {
	verbs.PD
	device *faulty
}

func (p faultyPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	// The device knows only its own completion queues.
	cfg.SendCQ, cfg.RecvCQ = cfg.SendCQ.(faultyCQ).CQ, cfg.RecvCQ.(faultyCQ).CQ
	qp, err := p.PD.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	return &faultyQP{QP: qp, device: p.device}, nil
}

type faultyQP struct {
	verbs.QP
	device *faulty
	held   []verbs.SendWR
}

// PostSend sends a modified copy of the list: a lost message goes nowhere, but still completes.
func (q *faultyQP) PostSend(wrs []verbs.SendWR) (int, error) {
	f := q.device
	f.mu.Lock()
	list := slices.Clone(wrs)
	released := q.held
	q.held = nil
	var extra []verbs.SendWR
	for i := range list {
		wr := &list[i]
		copied := *wr
		copied.Flags &^= verbs.Signaled
		datagram := q.Type() == verbs.UD
		switch x := f.rng.Float64(); {
		case x < f.lose:
			f.done.lost++
			q.lose(wr)
		case datagram && x < f.lose+f.double:
			f.done.doubled++
			extra = append(extra, copied)
		case datagram && wr.Local.Length == 0 && x < f.lose+f.double+f.delay: // without memory that changes meanwhile
			f.done.late++
			q.held = append(q.held, copied)
			q.lose(wr)
		}
	}
	f.mu.Unlock()
	if n, err := q.QP.PostSend(list); err != nil {
		return n, err
	}
	for _, more := range [][]verbs.SendWR{extra, released} {
		if len(more) > 0 {
			_, _ = q.QP.PostSend(more) // what has no room is lost
		}
	}
	return len(wrs), nil
}

func (q *faultyQP) lose(wr *verbs.SendWR) {
	if q.Type() == verbs.UD {
		wr.QPN = 0xffffff
	} else {
		wr.Local.Length = 0
	}
}

// TestLateRepeat checks that a request in the staging memory of an answered one leaves as it is,
// although a repeat of the answered one is still in the send queue. The device reads payload late.
func TestLateRepeat(t *testing.T) {
	const window = 3
	w := simulation.NewWorld(t, 1)
	p := newSimPair(w, newSimDevice(w), MinSlotBytes, window, nasty.Config{Model: nasty.Ordered, Inline: -1})
	old, now := bytes.Repeat([]byte("A"), 32), bytes.Repeat([]byte("B"), 32)
	for range p.l.slots { // every slot has held a SET
		p.submit(kvs.Set, "old", old)
		p.settle()
	}
	for range window {
		p.submit(kvs.Get, "old", nil)
	}
	p.repeat() // the send queue stood still
	for range window {
		p.move()
	}
	for n := window; n > 0; n -= len(p.poll()) {
		p.work()
	}
	p.sim.meanwhile = p.move // a link that waits for its device sees it move
	p.submit(kvs.Get, "old", nil)
	p.submit(kvs.Set, "key", now) // where the first GET was, whose repeat has not left
	p.sim.meanwhile = func() {}
	p.move()
	for range 2 * scanEvery {
		p.work()
	}
	p.settle()
	p.submit(kvs.Get, "key", nil)
	if a := p.settle(); a.Status != kvs.OK || !bytes.Equal(a.Value, now) {
		t.Errorf("SET key=%s; GET key = %s, %s", now, a.Value, a.Status)
	}
}
