package run

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// diagnosisTimeout bounds the search for what broke a point.
const diagnosisTimeout = 20 * time.Second

// blame prepends the cause of a broken point, where it is known: the datapath between client and
// server. The clients' own errors (no answers) only follow from it.
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
