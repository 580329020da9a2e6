package client

import (
	"bytes"
	"math/bits"
	"sync/atomic"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/load"
)

// maxVerified bounds the keys that are asked for after a preload.
const maxVerified = 1 << 20

// keyPass does one operation once on each of a number of keys: the preload, or its verification.
// The passed keys are spread evenly over all keys; a pass over all keys visits each just once. The
// threads share the pass.
type keyPass struct {
	op    kvs.Op
	count uint64 // keys, at most all
	keys  uint64 // all keys
	// stored are keys, from the first one on, that may be there already: no Add adds them.
	stored uint64
	// ration is the number of keys that may be stored until there are more; nil: any number
	ration *atomic.Int64
}

// share returns the range of positions [from, to) of a thread.
func (p keyPass) share(thread, threads int) (from, to uint64) {
	t, of := uint64(thread), uint64(threads)
	return mulDiv(p.count, t, of), mulDiv(p.count, t+1, of)
}

func (p keyPass) key(position uint64) uint64 { return mulDiv(position, p.keys, p.count) }

// mulDiv returns a*b/c without overflow, for a*b/c < 2⁶⁴.
func mulDiv(a, b, c uint64) uint64 {
	high, low := bits.Mul64(a, b)
	quotient, _ := bits.Div64(high, low, c)
	return quotient
}

// passer is a thread that does its share of a pass.
type passer struct {
	*thread
	keyPass
	next, end uint64 // positions
	tally     tally
}

func newPasser(t *thread, p keyPass) *passer {
	t.done.Store(0)
	next, end := p.share(t.id, t.cfg.Threads)
	return &passer{thread: t, keyPass: p, next: next, end: end}
}

// run does the share as fast as the windows allow, and waits for all answers.
func (p *passer) run() error {
	for p.next < p.end || p.pending || p.ages.total > 0 {
		if err := p.alive(cpu.NowNs()); err != nil {
			return err
		}
		blocked, err := p.send()
		if err != nil {
			return err
		}
		wait := maxWait
		if p.next < p.end && !blocked {
			wait = 0
		}
		if err := p.poll(wait); err != nil {
			return err
		}
		if err := p.check(); err != nil {
			return err
		}
		p.done.Store(p.tally.answered)
	}
	return nil
}

// send submits from the next position on, until the session is full or the share is done. The burst
// bounds it.
func (p *passer) send() (blocked bool, err error) {
	for sent := 0; sent < burst && p.next < p.end; sent++ {
		if !p.pending {
			if p.ration != nil && p.ration.Add(-1) < 0 {
				return true, p.flush()
			}
			key, op := p.key(p.next), p.op
			if op == kvs.Add && key < p.stored {
				op = kvs.Set
			}
			p.prepare(op, key)
			if op != kvs.Get {
				p.value(key, 0)
			}
		}
		if taken, err := p.submit(); err != nil || !taken {
			return true, err
		}
		p.next++
	}
	if p.next == p.end {
		err = p.flush()
	}
	return false, err
}

// check checks answers. No value may have another version than the preload's. A key that is there
// before it was added is of others.
func (p *passer) check() error {
	for i := range p.answers {
		a := &p.answers[i]
		p.judge(a, &p.tally)
		if a.Op == kvs.Get && a.Status == kvs.OK && !p.preloaded(a) {
			p.wrong(a, &p.tally, "the value is older than the preload, which the server confirmed")
		}
		if a.Op == kvs.Add && a.Status == kvs.Exists {
			name := p.thread.keys.Fill(cookieKey(a.Cookie))
			return &ForeignError{p.server, bytes.Clone(name)}
		}
	}
	return nil
}

// preloaded reports whether a value has the version of the preload, and its size.
func (p *passer) preloaded(a *kvs.Answer) bool {
	return load.ValueVersion(a.Value) == 0 && len(a.Value) == p.values.Size(cookieKey(a.Cookie), 0)
}
