package client

import (
	"sync/atomic"
	"testing"

	"dpukv/hashbench"
	"dpukv/kvs"
)

// hashWatch remembers whether any request had a hash.
type hashWatch struct {
	*fakeRemote
	seen *atomic.Uint64
}

func (r hashWatch) Open(o kvs.SessionOptions) (kvs.Session, error) {
	s, err := r.fakeRemote.Open(o)
	return watchedSession{s, r.seen}, err
}

type watchedSession struct {
	kvs.Session
	seen *atomic.Uint64
}

func (s watchedSession) Submit(q *kvs.Request) (bool, error) {
	s.seen.Or(q.Hash)
	return s.Session.Submit(q)
}

// TestNoHash: for a server without client-side hashes the client hashes nothing, and the point says
// so. A server that needs a hash refuses.
func TestNoHash(t *testing.T) {
	r := hashWatch{newFakeRemote(), &atomic.Uint64{}}
	leakFree(t, r.fakeRemote)
	cfg := smallLoad(t)
	mustRun(t, r, cfg)
	if r.seen.Load() == 0 {
		t.Error("no request had a hash, although there is one")
	}
	cfg.Hash = kvs.NoHash
	mustFail(t, r, cfg, `"none"`, `"`+hashbench.Default+`"`)

	r.facts.Hash = ""
	r.seen.Store(0)
	p := mustRun(t, r, cfg).Point
	if r.seen.Load() != 0 {
		t.Error("a request had a hash")
	}
	if p.Hash != kvs.NoHash || p.ClientHashShare != 0 || p.ClientHashShareBy != "" || p.ClientHashSamples != 0 ||
		p.ClientCPUNsPerOp <= 0 {
		t.Errorf("hash %q, a share of %v by %q", p.Hash, p.ClientHashShare, p.ClientHashShareBy)
	}
	cfg.CheckHash = true
	mustFail(t, r, cfg, "hashes nothing")
}
