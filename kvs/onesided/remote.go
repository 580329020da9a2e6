package onesided

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/herd"
)

// maxInFlight is the most requests of a connection at one worker.
const maxInFlight = herd.DefaultWindow

// Remote is a client's view of a server.
type Remote struct {
	herd  *herd.Remote
	addr  string
	facts kvs.Facts

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
	r := &Remote{herd: h, addr: addr, facts: h.Facts()}
	if r.facts.Store != Name || r.facts.Reads == nil {
		return nil, errors.Join(fmt.Errorf("%s: found a server of %s, allowed: one of %s", addr,
			r.facts.Store, Name), h.Close())
	}
	return r, nil
}

// Facts returns the facts from the handshake.
func (r *Remote) Facts() kvs.Facts { return r.facts }

// Open connects a session.
func (r *Remote) Open(o kvs.SessionOptions) (kvs.Session, error) {
	s, err := openSession(r, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Stats asks the server for its counters, and adds what this client's READs have answered.
func (r *Remote) Stats() (kvs.Stats, error) {
	s, err := r.herd.Stats()
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

// Events returns the device events of both ends since a time.
func (r *Remote) Events(since time.Time) string { return r.herd.Events(since) }

// Warnings returns the serious events of the client's device since a time.
func (r *Remote) Warnings(since time.Time) []string { return r.herd.Warnings(since) }

// DeviceCounters returns the counters of the client's device.
func (r *Remote) DeviceCounters() map[string]uint64 { return r.herd.DeviceCounters() }

// Moved returns the traffic of the control connection and of the device.
func (r *Remote) Moved() kvs.Moved { return r.herd.Moved() }

// Close closes the control connection and the device.
func (r *Remote) Close() error { return r.herd.Close() }

// clockNs is what two looks at the clock take, as sampled times include them.
var clockNs = func() int64 {
	least := int64(1 << 20)
	for range 64 {
		begin := cpu.NowNs()
		least = min(least, cpu.NowNs()-begin)
	}
	return least
}()
