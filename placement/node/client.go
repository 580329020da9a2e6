package node

import (
	"context"
	"errors"

	"dpukv/client"
	"dpukv/results"
)

// runClient puts the load on a server and sends the result.
func runClient(ctx context.Context, a *agent, cpus []int, spec *ClientSpec) (err error) {
	st, err := a.store(spec.Store)
	if err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	remote, err := st.Dial(ctx, &spec.DialConfig)
	if err != nil {
		return spec.explain(err)
	}
	defer func() { err = errors.Join(err, remote.Close()) }()

	cooling := coolDown{agent: a, several: spec.Several()}
	res, err := client.Run(ctx, remote, client.Config{
		Load: spec.Load, Threads: spec.Threads, Duration: spec.Duration, CPUs: cpus,
		Preloaded: spec.Preloaded, Guard: spec.Guard,
		FirstThread: spec.FirstThread, AllThreads: spec.AllThreads,
		ServerAddr: spec.Addr, SameHost: spec.SameHost,
		SharedServer: spec.SharedServer, KnownTrace: spec.KnownTrace,
		OnReady: func(ctx context.Context, hitRate float64) error {
			return standBy(ctx, a, Ready{Addr: spec.Addr, Facts: remote.Facts(), HitRate: hitRate})
		},
		OnPeriodOver: cooling.hook(),
		OnDone: func(ctx context.Context) error {
			if err := a.out.Send(&Measured{}); err != nil {
				return err
			}
			if err := cooling.finish(ctx); err != nil {
				return err
			}
			_, err := await[*Release](ctx, a)
			return err
		},
		OnProgress: func(p client.Progress) {
			// If a report is lost, the result cannot be sent either, and that error shows.
			_ = a.out.Send(&Progress{string(p.Phase), p.Done, p.Total, p.ThroughputOps, p.P99Ns})
		},
	})
	if res == nil {
		return err
	}
	// The point of a failed run has the run's error.
	if err != nil {
		res.Point.Error = spec.explain(err).Error()
	}
	hlog, err := results.EncodeHlog(res.Intervals)
	if err != nil {
		return err
	}
	return a.out.Send(&Result{Point: res.Point, Hlog: hlog, Trace: res.Trace, Lost: res.Lost})
}

// standBy reports that all keys are stored and verified, and waits for the order to go on.
func standBy(ctx context.Context, a *agent, r Ready) error {
	if err := a.out.Send(&r); err != nil {
		return err
	}
	_, err := await[*Begin](ctx, a)
	return err
}

// Several reports whether other clients load the server at the same time.
func (s *ClientSpec) Several() bool { return s.AllThreads > s.Threads }

// coolDown keeps up the load of one of several clients until all have measured.
type coolDown struct {
	*agent
	several bool
	pending bool // the order to end the load has not come yet
}

// hook returns what the client calls at the end of its measurement period; nil: it is alone.
func (c *coolDown) hook() func(context.Context) error {
	if !c.several {
		return nil
	}
	return func(ctx context.Context) error {
		if err := c.out.Send(&PeriodOver{}); err != nil {
			return err
		}
		c.pending = true
		return c.finish(ctx)
	}
}

// finish waits for the order to end the load. It comes also to a client that ended its load before.
func (c *coolDown) finish(ctx context.Context) error {
	if !c.pending {
		return nil
	}
	_, err := await[*EndLoad](ctx, c.agent)
	c.pending = err != nil
	return err
}
