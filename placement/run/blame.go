package run

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// diagnosisTimeout is for looking at what may have broken a point.
const diagnosisTimeout = 20 * time.Second

// blame puts first what broke a point, where that is known: the datapath between client and server.
// What the clients say of it, that nothing answers, is only the effect.
func blame(ctx context.Context, way *path, err error) error {
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), diagnosisTimeout,
		errors.New("no answer in time"))
	defer cancel()
	if why := way.broken(ctx); why != nil {
		return fmt.Errorf("%w; so that %w", why, err)
	}
	return way.blameFilter(ctx, err)
}
