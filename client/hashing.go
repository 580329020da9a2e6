package client

import (
	"errors"

	"dpukv/hashbench"
	"dpukv/kvs"
)

// errNothingHashed is why there is no share to check.
var errNothingHashed = errors.New("check_hash is asked for, but with hash none nothing is hashed")

// findHash looks up what Hash names: a function of package hashbench, or with [kvs.NoHash] none.
func (c *Config) findHash() (err error) {
	if c.hashes() || c.Hash == kvs.NoHash {
		return nil
	}
	c.hash, err = hashbench.Lookup(c.Hash)
	return err
}

// hashes reports whether keys are hashed.
func (c *Config) hashes() bool { return c.hash.Sum64 != nil }

// hash hashes the request's key, and does nothing else: hashProfile knows hashing by it.
func (w *worker) hash() {
	if sum := w.cfg.hash.Sum64; sum != nil {
		w.req.Hash = sum(w.req.Key)
	}
}
