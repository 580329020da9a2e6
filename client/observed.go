package client

import (
	"fmt"

	"dpukv/internal/killed"
	"dpukv/kvs"
)

// withObserved adds possible causes to a failure: the processes that this machine's kernel killed,
// if the server runs here, and the remote's observations. A caller that cancelled does not wait for
// them.
func (r *loadRun) withObserved(err error) error {
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
