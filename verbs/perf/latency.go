package perf

import (
	"fmt"
	"time"

	"dpukv/verbs"
)

// pinger is one end of a ping-pong.
type pinger struct {
	*end
	*pair
	turnOf byte // mark of the expected message
}

func (e *end) pinger(bytes int) (*pinger, error) {
	g := &pinger{end: e, pair: e.pairs[0]}
	g.prepare(e.cfg.Op, bytes)
	clear(g.mr.Bytes()[g.area:])
	if e.cfg.Op == Send {
		if err := e.restock(); err != nil {
			return nil, err
		}
	}
	return g, e.barrier()
}

// hit sends the next message. It takes completions a batch at a time, long after the messages
// arrived.
func (g *pinger) hit() error {
	if g.outstanding > g.cfg.TxDepth/2 {
		if err := g.end.wait("completion", g.reaped); err != nil {
			return err
		}
	}
	g.turnOf++
	g.mark(g.turnOf)
	_, err := g.post(1, 1, true)
	return err
}

// arrived reports whether the expected message is there.
func (g *pinger) arrived() (bool, error) {
	if g.cfg.Op == Write {
		if g.marked() == g.turnOf {
			return true, nil
		}
		// A software device receives the message here.
		_, err := g.dev.Progress()
		return g.marked() == g.turnOf, err
	}
	n, err := g.recvCQ.Poll(g.wcs[:1])
	if n == 0 || err != nil {
		return false, err
	}
	if s := g.wcs[0].Status; s != verbs.StatusSuccess {
		return false, fmt.Errorf("receive: %s", s)
	}
	g.stocked--
	return true, g.repost(1)
}

// pingPong is the client's side. It returns half of every round trip.
func (e *end) pingPong(bytes int) (*samples, error) {
	g, err := e.pinger(bytes)
	if err != nil {
		return nil, err
	}
	return e.sample(func() error {
		if err := g.hit(); err != nil {
			return err
		}
		return e.wait("answer", g.arrived)
	}, 2)
}

// answer is the server's side. It runs until the client has finished.
func (e *end) answer(bytes int) error {
	g, err := e.pinger(bytes)
	if err != nil {
		return err
	}
	g.turnOf = 1
	return e.awaitEnd(bytes, func() error {
		ok, err := g.arrived()
		if err != nil {
			return err
		}
		if !ok {
			return e.turn()
		}
		g.turnOf-- // hit takes the next mark: an answer has the mark of its question
		if err := g.hit(); err != nil {
			return err
		}
		g.turnOf++
		return nil
	})
}

// readLatency measures single READs.
func (e *end) readLatency(bytes int) (*samples, error) {
	p := e.pairs[0]
	p.prepare(Read, bytes)
	if err := e.barrier(); err != nil {
		return nil, err
	}
	return e.sample(func() error {
		if _, err := p.post(1, 1, true); err != nil {
			return err
		}
		return e.wait("completion", e.reaped)
	}, 1)
}

// sample measures a step repeatedly, and divides each duration by the given divisor.
func (e *end) sample(step func() error, by time.Duration) (*samples, error) {
	list := newSamples(&e.cfg)
	start := time.Now()
	for warm := time.Duration(0); warm < e.cfg.Warmup; warm = time.Since(start) {
		if err := step(); err != nil {
			return nil, fmt.Errorf("warm-up: %w", err)
		}
	}
	e.began()
	start = time.Now()
	for last := time.Duration(0); e.more(list.count, last); {
		if err := step(); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", list.count+1, err)
		}
		now := time.Since(start)
		list.add((now - last) / by)
		last = now
	}
	return list, nil
}

// began tells the caller that a point's measurement begins.
func (e *end) began() {
	if e.watch.Began != nil {
		e.watch.Began()
	}
}

// more reports whether a point continues.
func (e *end) more(iters int, elapsed time.Duration) bool {
	if e.cfg.Duration > 0 {
		return elapsed < e.cfg.Duration
	}
	return iters < e.cfg.Iters
}
