package client

import (
	"fmt"

	"dpukv/internal/killed"
	"dpukv/kvs"
)

// withObserved adds to a failure what this machine's kernel did to a server on it, and what the
// remote has observed: either may be the cause. A caller that cancelled does not wait for that.
func (r *runner) withObserved(err error) error {
	if r.caller.Err() != nil {
		return err
	}
	if said := killed.Beside(r.killed); said != "" && r.cfg.SameHost {
		err = fmt.Errorf("%w; %s", err, said)
	}
	o, ok := r.remote.(kvs.Observed)
	if !ok {
		return err
	}
	if said := o.Events(r.begunAt); said != "" {
		return fmt.Errorf("%w; %s", err, said)
	}
	return err
}
