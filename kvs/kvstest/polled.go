package kvstest

import (
	"context"

	"dpukv/kvs"
)

// Polled returns a store of which these ends poll. In all else it is the same store.
func Polled(st kvs.Store, ends kvs.Waits) kvs.Store {
	dial, start := st.Dial, st.Start
	st.Dial = func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
		r, err := dial(ctx, c)
		if err != nil || !ends.Clients {
			return r, err
		}
		return pollingRemote{r}, nil
	}
	if ends.Server {
		st.Start = func(c *kvs.ServerConfig) (kvs.Server, error) {
			polls := *c
			polls.ServerWait = kvs.WaitPoll
			return start(&polls)
		}
	}
	return st
}

// pollingRemote opens sessions that poll.
type pollingRemote struct{ kvs.Remote }

func (p pollingRemote) Open(o kvs.SessionOptions) (kvs.Session, error) {
	o.Wait = kvs.WaitPoll
	return p.Remote.Open(o)
}
