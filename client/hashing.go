package client

import (
	"errors"

	"dpukv/hashbench"
	"dpukv/kvs"
)

// errNothingHashed is why there is no share to check.
var errNothingHashed = errors.New("check_hash is asked for, but with hash none nothing is hashed")

// Hashing finds what clients hash keys with: a function of package hashbench, or with [kvs.NoHash] nothing.
func Hashing(name string) (hashbench.Func, error) {
	if name == kvs.NoHash {
		return hashbench.Func{Name: kvs.NoHash}, nil
	}
	return hashbench.Lookup(name)
}

// hashes reports whether keys are hashed.
func (c *Config) hashes() bool { return c.Hash.Sum64 != nil }

// hash hashes the request's key, and does nothing else: hashProfile knows hashing by it.
func (w *worker) hash() {
	if sum := w.cfg.Hash.Sum64; sum != nil {
		w.req.Hash = sum(w.req.Key)
	}
}
