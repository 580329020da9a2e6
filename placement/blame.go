package placement

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// blamePatience is for looking at what may have broken a point.
const blamePatience = 20 * time.Second

// blame puts first what broke a point, where that is known: the datapath between client and server.
// What the clients say of it, that nothing answers, is only the effect.
func blame(ctx context.Context, way *path, err error) error {
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), blamePatience,
		errors.New("no answer in time"))
	defer cancel()
	if why := way.broken(ctx); why != nil {
		return fmt.Errorf("%w; so that %w", why, err)
	}
	return way.blame(ctx, err)
}

// withMachines puts first that the emulated machines are gone, with which everything on them went.
func (r *runner) withMachines(err error) error {
	if !r.machines.gone() {
		return err
	}
	const why = "the emulated machines ended in the middle of it, as if the process that holds them was killed"
	if err == nil {
		return errors.New(why)
	}
	return fmt.Errorf("%s; so that %w", why, err)
}

// broken is what is missing of the datapath; nil: nothing, or there is none.
func (p *path) broken(ctx context.Context) error {
	if p == nil || p.lease == nil {
		return nil
	}
	return p.lease.Broken(ctx)
}
