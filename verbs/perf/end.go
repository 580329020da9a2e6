package perf

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

const (
	qkey = 0x11111111
	// answerTimeout is how long an answer or a completion may take.
	answerTimeout = 5 * time.Second
	// stepTimeout is how long a step with the peer may take, without the measurement itself.
	stepTimeout = time.Minute
	// nap is how long a device may wait for packets after a while without any.
	nap = 50 * time.Microsecond
)

// end is one end of a run.
type end struct {
	ctx            context.Context
	dev            verbs.Device
	ch             *sidechannel.Channel
	cfg            Config
	port           verbs.Port
	pd             verbs.PD
	sendCQ, recvCQ verbs.CQ
	pairs          []*pair
	wcs            []verbs.WC
	// spins is the number of turns without work before a loop yields.
	spins, idle   int
	watch         Observer
	warningsSince time.Time // end of the time that warnings have covered
}

// warnings returns the device's warnings since the last call.
func (e *end) warnings() []string {
	since := e.warningsSince
	e.warningsSince = time.Now()
	return verbs.Warnings(e.dev, since)
}

func newEnd(
	ctx context.Context, dev verbs.Device, ch *sidechannel.Channel, cfg Config,
) (*end, error) {
	e := &end{
		ctx: ctx, dev: dev, ch: ch, cfg: cfg, wcs: make([]verbs.WC, 64), spins: 256,
		warningsSince: time.Now(),
	}
	if runtime.NumCPU() == 1 {
		e.spins = 1 // the peer may need this very CPU
	}
	port, err := dev.Port()
	if err != nil {
		return nil, err
	}
	e.port = port
	if err := e.cfg.fit(&e.port); err != nil {
		return nil, err
	}
	if err := e.create(); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *end) create() (err error) {
	if e.pd, err = e.dev.AllocPD(); err != nil {
		return err
	}
	if e.sendCQ, err = e.dev.CreateCQ(e.cfg.TxDepth * e.cfg.QPs); err != nil {
		return err
	}
	if e.recvCQ, err = e.dev.CreateCQ(e.cfg.RxDepth * e.cfg.QPs); err != nil {
		return err
	}
	for range e.cfg.QPs {
		p, err := e.createPair()
		if err != nil {
			return err
		}
		e.pairs = append(e.pairs, p)
	}
	return nil
}

func (e *end) close() (err error) {
	for _, p := range e.pairs {
		err = errors.Join(err, p.close())
	}
	return errors.Join(err, verbs.Close(e.sendCQ, e.recvCQ, e.pd))
}

// introduction describes a queue pair to the other end.
type introduction struct {
	Endpoint verbs.Endpoint
	Region   verbs.Region
}

// connect exchanges introductions and connects every queue pair. Then both ends are ready.
func (e *end) connect() error {
	mine := make([]introduction, len(e.pairs))
	for i, p := range e.pairs {
		mine[i] = introduction{p.qp.Local(), p.mr.Region()}
	}
	theirs, err := sidechannel.SwapWith(e.ch, mine, e.rest)
	if err != nil {
		return err
	}
	if len(theirs) != len(mine) {
		return fmt.Errorf("queue pairs: found %d at the peer, allowed: %d", len(theirs), len(mine))
	}
	for i, p := range e.pairs {
		if err := p.connect(e.pd, theirs[i]); err != nil {
			return err
		}
	}
	return e.barrier()
}

// barrier waits until the peer has reached the same step.
func (e *end) barrier() error {
	_, err := sidechannel.SwapWith(e.ch, struct{}{}, e.rest)
	return err
}

// awaitEnd waits until the client has measured a point. It calls progress meanwhile, without naps.
func (e *end) awaitEnd(bytes int, progress func() error) error {
	e.ch.SetTimeout(e.cfg.pointTimeout(bytes))
	defer e.ch.SetTimeout(stepTimeout)
	return e.ch.Await(new(struct{}), func() (bool, error) { return true, progress() })
}

// rest moves packets, or yields.
func (e *end) rest() (busy bool, err error) {
	if e.ctx.Err() != nil {
		return false, context.Cause(e.ctx)
	}
	return verbs.Rest(e.dev, nap)
}

// turn counts a turn without work. After a number of turns it rests.
func (e *end) turn() error {
	if e.idle++; e.idle%e.spins != 0 {
		return nil
	}
	_, err := e.rest()
	return err
}

// wait loops until done returns true.
func (e *end) wait(what string, done func() (bool, error)) error {
	var since time.Time
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := e.turn(); err != nil {
			return err
		}
		if e.idle%e.spins != 0 {
			continue
		}
		switch {
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > answerTimeout:
			return fmt.Errorf("no %s within %v%s; the device's counters: %v", what, answerTimeout,
				e.lossHint(), e.dev.Counters())
		}
	}
}

func (e *end) lossHint() string {
	if e.cfg.Connection == verbs.RC {
		return ""
	}
	return fmt.Sprintf(" (%s does not send lost packets again)", e.cfg.Connection)
}

// reaped reports whether reap found any.
func (e *end) reaped() (bool, error) {
	n, err := e.reap()
	return n > 0, err
}

// reap takes completions of sends. The ID of each contains the number of messages it stands for.
func (e *end) reap() (messages int, err error) {
	n, err := e.sendCQ.Poll(e.wcs)
	for i := range e.wcs[:n] {
		wc := &e.wcs[i]
		if wc.Status != verbs.StatusSuccess {
			return messages, fmt.Errorf("%s over %s: completion: %s", e.cfg.Op, e.cfg.Connection,
				wc.Status)
		}
		pair := e.pairs[wc.ID>>32]
		pair.outstanding -= int(uint32(wc.ID))
		messages += int(uint32(wc.ID))
	}
	return messages, err
}
