package herd

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// faulty is a device that loses, doubles and delays what is sent through it, and whose completion queues are slow to look at.
type faulty struct {
	verbs.Device
	pause               time.Duration // before each look
	lose, double, delay float64       // shares; only datagrams are doubled and delayed: a UC drops what is out of order
	mu                  sync.Mutex
	rng                 *rand.Rand
	lost, doubled, late int
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

// PostSend spoils a copy of the list: what is lost goes nowhere, but still completes.
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
			f.lost++
			q.lose(wr)
		case datagram && x < f.lose+f.double:
			f.doubled++
			extra = append(extra, copied)
		case datagram && wr.Local.Length == 0 && x < f.lose+f.double+f.delay: // without memory that changes meanwhile
			f.late++
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
