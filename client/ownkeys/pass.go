package ownkeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dpukv/kvs"
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

// pass does one operation on each key of a set.
type pass struct {
	op      kvs.Op
	keys    keys
	session kvs.Session
	done    func(keys uint64)

	key            []byte // not submitted yet; nil: none
	over           bool   // there is no further key
	sent, answered uint64
	matched        uint64 // answers of keys that existed
	answers        []kvs.Answer
}

// run does one operation on each key of all sets. It returns how many of them existed. done learns
// of each further answer.
func run(
	ctx context.Context, remote kvs.Remote, op kvs.Op, sets []Set, done func(keys uint64),
) (matched uint64, err error) {
	for i := range sets {
		n, err := runSet(ctx, remote, op, &sets[i], done)
		if matched += n; err != nil {
			return matched, err
		}
	}
	return matched, nil
}

func runSet(
	ctx context.Context, remote kvs.Remote, op kvs.Op, s *Set, done func(keys uint64),
) (matched uint64, err error) {
	k, err := s.open()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	session, err := remote.Open(kvs.SessionOptions{
		Batch: batch, Window: window, Connections: 1, KeyBytes: k.longest(),
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	p := pass{op: op, keys: k, session: session, done: done}
	err = p.run(ctx)
	return p.matched, err
}

func (p *pass) run(ctx context.Context) error {
	req := kvs.Request{Op: p.op}
	for heard := time.Now(); !p.over || p.answered < p.sent; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := p.send(&req); err != nil {
			return err
		}
		before := p.answered
		if err := p.poll(); err != nil {
			return err
		}
		if p.answered > before {
			heard = time.Now()
			p.done(p.answered - before)
		} else if time.Since(heard) > patience {
			return fmt.Errorf("no answer came within %v", patience)
		}
	}
	return nil
}

func (p *pass) send(req *kvs.Request) (err error) {
	for range burst {
		if p.key == nil {
			if p.key, err = p.keys.next(); err != nil {
				return err
			}
		}
		if p.over = p.key == nil; p.over {
			return p.session.Flush()
		}
		req.Key = p.key
		taken, err := p.session.Submit(req)
		if err != nil || !taken {
			return err
		}
		p.key = nil
		p.sent++
	}
	return nil
}

func (p *pass) poll() (err error) {
	if p.answers, err = p.session.Poll(p.answers[:0], pause); err != nil {
		return err
	}
	for i := range p.answers {
		switch p.answers[i].Status {
		case kvs.OK:
			p.matched++
		case kvs.NotFound:
		default:
			return fmt.Errorf("the answer to a %v is %q", p.op, p.answers[i].Status)
		}
	}
	p.answered += uint64(len(p.answers))
	return nil
}
