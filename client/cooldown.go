package client

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"dpukv/internal/cpu"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// coolDown is the load after the measurement period. Of several clients, the one that ends first
// would leave the server to the others.
type coolDown struct {
	over     atomic.Bool // the load may end
	tookNs   int64
	cutShort bool // it reached Config.MaxCoolDown
}

var errCoolDown = errors.New("the other clients' measurement periods did not end in time")

// openEnd is the end of a period until it is known.
const openEnd = math.MaxInt64 / 2

// endPeriod notes the end of a period without a fixed length. A run that failed, or that somebody
// interrupted, ends now: its throughput is not that of the whole period.
func (r *loadRun) endPeriod() {
	if r.quota == nil {
		if now := max(cpu.NowNs(), r.period.fromNs+1); r.ctx.Err() != nil && now < r.period.toNs {
			r.period.toNs = now
		}
		return
	}
	r.period.toNs = r.quota.LastNs() + 1
	if r.period.toNs == 1 {
		r.period.toNs = max(cpu.NowNs(), r.period.fromNs+1)
	}
}

// coolDown calls OnPeriodOver once the measurement period is over, and then lets the load end.
func (r *loadRun) coolDown() error {
	if r.cfg.OnPeriodOver == nil {
		return nil
	}
	defer r.cooling.over.Store(true)
	ctx, cancel := context.WithTimeoutCause(r.ctx, r.cfg.MaxCoolDown, errCoolDown)
	defer cancel()
	err := r.cfg.OnPeriodOver(ctx)
	r.cooling.tookNs = max(cpu.NowNs()-r.period.toNs, 0)
	if err != nil && errors.Is(context.Cause(ctx), errCoolDown) {
		r.cooling.cutShort = true
		return nil
	}
	return err
}

// cooled puts the cool-down into the point.
func (r *loadRun) cooled(p *results.Point) {
	p.CoolDownNs = r.cooling.tookNs
	if r.cooling.cutShort {
		p.Warnings = append(p.Warnings, results.CutShort.Warn("the load went on for %s "+
			"after the measurement period (limit: %s), and another client still measured. It had "+
			"more of the server from then on", numfmt.Nanoseconds(float64(p.CoolDownNs)),
			numfmt.Duration(r.cfg.MaxCoolDown)))
	}
}

// endPeriod notes the end of the measurement period, as far as it concerns what was sent.
// Operations of the period that are not sent by now are unsent ones.
func (l *loader) endPeriod(nowNs int64) error {
	if l.cfg.OpenLoop() && l.quota == nil {
		if err := l.sendRest(nowNs); err != nil {
			return err
		}
		if err := l.flush(); err != nil {
			return err
		}
		// Those that leave in the cool-down do so as operations of the cool-down.
		l.schedule.intendedNs = max(l.schedule.intendedNs, l.period.toNs)
		if l.pending {
			l.req.IntendedNs = max(l.req.IntendedNs, l.period.toNs)
		}
	}
	l.cutNs, l.cutSent = nowNs, l.schedule.sent
	return nil
}

// cool reports whether the load goes on after the measurement period.
func (l *loader) cool() bool { return l.others != nil && !l.others.Load() }
