package onesided

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/herd"
)

// maxInFlight is the most requests of a connection at one worker.
const maxInFlight = herd.DefaultWindow

// Remote is a client's view of a server: HERD's, with READs.
type Remote struct {
	*herd.Remote
	addr string

	mu    sync.Mutex
	open  []*shared // of the sessions
	ended kvs.ReadStats
}

var (
	_ kvs.Remote   = (*Remote)(nil)
	_ kvs.Observed = (*Remote)(nil)
)

// Dial shakes hands with the server at addr.
func Dial(ctx context.Context, addr string, o herd.Options) (*Remote, error) {
	h, err := herd.Dial(ctx, addr, o)
	if err != nil {
		return nil, err
	}
	if f := h.Facts(); f.Store != Name || f.Reads == nil {
		return nil, errors.Join(fmt.Errorf("%s: found a server of %s, allowed: one of %s", addr,
			f.Store, Name), h.Close())
	}
	return &Remote{Remote: h, addr: addr}, nil
}

// Open connects a session.
func (r *Remote) Open(o kvs.SessionOptions) (kvs.Session, error) {
	s, err := openSession(r, o)
	if err != nil {
		return nil, err
	}
	if o.KeepOrder {
		return newTurns(s), nil
	}
	return s, nil
}

// Stats asks the server for its counters, and adds what this client's READs have answered.
func (r *Remote) Stats() (kvs.Stats, error) {
	s, err := r.Remote.Stats()
	if err != nil {
		return s, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.ByClient = r.ended
	for _, one := range r.open {
		add(&s.ByClient, one)
	}
	return s, nil
}

func add(to *kvs.ReadStats, one *shared) {
	ops := one.ops.Load()
	to.Ops, to.Gets, to.Hits = to.Ops+ops, to.Gets+ops, to.Hits+one.hits.Load()
}

func (r *Remote) opened(one *shared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = append(r.open, one)
}

func (r *Remote) closed(one *shared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.open, one); i >= 0 {
		r.open = slices.Delete(r.open, i, i+1)
		add(&r.ended, one)
	}
}

// clockNs is what two looks at the clock take, as sampled times include them.
var clockNs = func() int64 {
	least := int64(1 << 20)
	for range 64 {
		begin := cpu.NowNs()
		least = min(least, cpu.NowNs()-begin)
	}
	return least
}()
