package node

import (
	"context"
	"errors"
	"time"

	"dpukv/client/ownkeys"
)

// keysEvery is the time between two reports of progress.
const keysEvery = time.Second

// lookAfterKeys looks for a load's keys, or removes them.
func lookAfterKeys(ctx context.Context, a *agent, spec *KeysSpec) (err error) {
	st, err := a.store(spec.Store)
	if err != nil {
		return err
	}
	remote, err := st.Dial(ctx, &spec.DialConfig)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remote.Close()) }()
	var sum KeysDone
	if spec.Remove {
		sum.Removed, err = ownkeys.Remove(ctx, remote, spec.Sets, a.keysDone("remove"))
	} else {
		sum.Found, err = ownkeys.Look(ctx, remote, spec.Sets, spec.Terms, a.keysDone("look"))
	}
	if err != nil {
		return err
	}
	return a.out.Send(&sum)
}

// keysDone returns a function that reports progress now and then.
func (a *agent) keysDone(phase string) func(keys uint64) {
	var done uint64
	last := time.Now()
	return func(keys uint64) {
		if done += keys; time.Since(last) < keysEvery {
			return
		}
		last = time.Now()
		// If a report is lost, the answer cannot be sent either, and that error shows.
		_ = a.out.Send(&Progress{Phase: phase, Done: done})
	}
}
