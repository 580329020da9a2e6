package ownkeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dpukv/kvs"
	"dpukv/load"
)

const (
	batch  = 64
	window = 4
	// burst bounds the operations between two polls for answers.
	burst = 1024
	// pause is the longest wait for answers before the next look at the context.
	pause = 20 * time.Millisecond
	// patience is the longest time without any answer.
	patience = 5 * time.Second
)

// job is what a pass does with each key: look for it; delete it, if its value is one of a load; or
// add it.
type job struct {
	op   kvs.Op // Get, Delete or Add
	most uint64 // keys of a set; 0: all
	// only names the keys; nil: those of the set
	only []key
	done func(keys uint64) // learns of each further key
}

// outcome is what a pass found.
type outcome struct {
	names   uint64 // of the set
	keys    uint64 // that the pass was over
	bytes   uint64 // of their names and values
	matched uint64 // found, deleted or added
	own     uint64 // found with a value of a load
	matches []key  // added
}

// pass does a job with each key of a set.
type pass struct {
	job
	outcome
	keys    keys
	session kvs.Session

	req            kvs.Request // not submitted yet, if pending
	pending, over  bool
	delete         []key // found with a value of a load
	sent, answered uint64
	answers        []kvs.Answer
}

// run does a job with the keys of all sets, and adds up the outcomes.
func run(ctx context.Context, remote kvs.Remote, sets []Set, j job) (sum outcome, err error) {
	for i := range sets {
		o, err := runSet(ctx, remote, &sets[i], j)
		sum.names += o.names
		sum.keys += o.keys
		sum.bytes += o.bytes
		sum.matched += o.matched
		sum.own += o.own
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

func runSet(ctx context.Context, remote kvs.Remote, s *Set, j job) (o outcome, err error) {
	k, err := s.open(j.most)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	session, err := remote.Open(kvs.SessionOptions{
		Batch: batch, Window: window, Connections: 1, KeyBytes: k.longest(),
	})
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	p := pass{job: j, keys: k, session: session}
	err = p.run(ctx)
	p.names = k.names()
	return p.outcome, err
}

func (p *pass) run(ctx context.Context) error {
	for heard := time.Now(); !p.over || p.answered < p.sent; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.send(); err != nil {
			return err
		}
		before := p.answered
		if err := p.poll(); err != nil {
			return err
		}
		if p.answered > before {
			heard = time.Now()
		} else if time.Since(heard) > patience {
			return fmt.Errorf("no answer came within %v", patience)
		}
	}
	return nil
}

func (p *pass) send() (err error) {
	for range burst {
		if !p.pending {
			if err := p.prepare(); err != nil {
				return err
			}
		}
		if p.over = !p.pending; p.over {
			return p.session.Flush()
		}
		taken, err := p.session.Submit(&p.req)
		if err != nil || !taken {
			return err
		}
		p.pending = false
		p.sent++
	}
	return nil
}

// prepare makes the next request, if there is one at present.
func (p *pass) prepare() error {
	if n := len(p.delete); n > 0 {
		of := p.delete[n-1]
		p.delete = p.delete[:n-1]
		p.request(kvs.Delete, of)
		return nil
	}
	of, more, err := p.next()
	if err != nil || !more {
		return err
	}
	p.outcome.keys++
	op := p.op
	if op == kvs.Delete {
		op = kvs.Get // only values of a load go
	}
	p.request(op, of)
	if p.op != kvs.Delete {
		p.bytes += uint64(len(p.req.Key) + len(p.keys.value(of)))
	}
	return nil
}

func (p *pass) next() (key, bool, error) {
	if p.only == nil {
		return p.keys.next()
	}
	if len(p.only) == 0 {
		return 0, false, nil
	}
	of := p.only[0]
	p.only = p.only[1:]
	return of, true, nil
}

func (p *pass) request(op kvs.Op, of key) {
	p.req = kvs.Request{Op: op, Key: p.keys.name(of), Cookie: uint64(of)}
	if op == kvs.Add || op == kvs.Set {
		p.req.Value = p.keys.value(of)
	}
	p.pending = true
}

func (p *pass) poll() (err error) {
	if p.answers, err = p.session.Poll(p.answers[:0], pause); err != nil {
		return err
	}
	for i := range p.answers {
		if err := p.take(&p.answers[i]); err != nil {
			return err
		}
	}
	p.answered += uint64(len(p.answers))
	return nil
}

// take counts an answer.
func (p *pass) take(a *kvs.Answer) error {
	of := key(a.Cookie)
	switch {
	case a.Status == kvs.NotFound && a.Op != kvs.Add, a.Status == kvs.Exists && a.Op == kvs.Add:
	case a.Status != kvs.OK:
		return fmt.Errorf("the answer to a %v is %q", a.Op, a.Status)
	case a.Op == kvs.Get:
		own := load.CheckValue(a.Value, of.number(), len(a.Value))
		if own {
			p.own++
		}
		if p.op == kvs.Delete {
			if own {
				p.delete, p.over = append(p.delete, of), false
			}
			break
		}
		p.matched++
	default:
		p.matched++
		if a.Op == kvs.Add {
			p.matches = append(p.matches, of)
		}
	}
	if a.Op != kvs.Delete {
		p.done(1)
	}
	return nil
}
