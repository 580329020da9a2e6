package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/load"
)

// What a Config with zeros gets.
const (
	DefaultTimeout  = 2 * time.Second
	DefaultInterval = 250 * time.Millisecond
)

// MaxThreads is what a Config may ask for at most. Go ends a process of 10,000 threads.
const MaxThreads = 1024

// minTimeout is above what a client that shares its CPU may be kept from running.
const minTimeout = 10 * time.Millisecond

// errNothingHashed is why there is no share to check.
var errNothingHashed = errors.New("check_hash is asked for, but with hash none nothing is hashed")

// Config is one load and how it is driven: by whom, and how long.
type Config struct {
	// Load is what is asked for. All threads together offer its rate.
	load.Load
	Threads  int           // load workers, each a thread with a session of its own
	Duration time.Duration // of the measurement period
	// CheckHash has a phase after the load find the share of hashing once more, by leaving it out.
	CheckHash bool
	// CPUs pins thread i to CPUs[i%len(CPUs)]; empty: not pinned.
	CPUs []int
	// Timeout ends the run when an answer is out longer; 0: DefaultTimeout.
	Timeout time.Duration
	// Interval is the time between two reports and the length of the intervals
	// of the histogram log; 0: DefaultInterval.
	Interval time.Duration
	// ServerAddr names the server in errors and in the point.
	ServerAddr string
	// SameHost says that client and server share a machine, so that their CPUs can be compared.
	SameHost bool
	// Several clients can put one workload on a server together. One of them stores the keys; the
	// others are told that they are there, and only ask for them.
	Preloaded bool
	// FirstThread is the number of this client's first thread among the threads of all clients, and
	// AllThreads how many those are, so that no two do the same operations; 0: this is the only
	// client.
	FirstThread, AllThreads int
	// OnReady is called once all keys are stored and verified, with the share that
	// was found; the load begins when it returns. It may be nil.
	OnReady func(ctx context.Context, hitRate float64) error
	// OnDone is called once the load is over and all is answered, before the connections are closed:
	// nothing is on the way then. It may be nil. A run that failed does not get there.
	OnDone func(ctx context.Context) error
	// OnProgress is told how the run gets on, from one goroutine at a time. It
	// may be nil, and must return soon.
	OnProgress func(Progress)

	hash hashbench.Func // that Load.Hash names
}

func (c *Config) setDefaults() {
	if c.Dist == "" {
		c.Dist = load.Uniform
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Interval == 0 {
		c.Interval = DefaultInterval
	}
	if c.AllThreads == 0 {
		c.AllThreads = c.Threads
	}
}

func (c *Config) validate() error {
	if err := c.Load.Validate(); err != nil {
		return err
	}
	switch {
	case c.Threads < 1 || c.Threads > MaxThreads:
		return fmt.Errorf("threads is %d, allowed is 1 to %d", c.Threads, MaxThreads)
	case c.FirstThread < 0 || c.FirstThread+c.Threads > c.AllThreads:
		return fmt.Errorf("threads are %d from %d on, allowed is within the %d of all "+
			"clients", c.Threads, c.FirstThread, c.AllThreads)
	case c.Duration <= 0:
		return fmt.Errorf("duration is %v, allowed is more than 0", c.Duration)
	case c.Timeout < minTimeout:
		return fmt.Errorf("timeout is %v, allowed is %v or more", c.Timeout, minTimeout)
	case c.Interval < time.Millisecond:
		return fmt.Errorf("interval is %v, allowed is 1ms or more", c.Interval)
	case c.CheckHash && c.Hash == kvs.NoHash:
		return errNothingHashed
	}
	if i := slices.IndexFunc(c.CPUs, func(cpu int) bool { return cpu < 0 }); i >= 0 {
		return fmt.Errorf("cpus has %d, allowed is 0 or more", c.CPUs[i])
	}
	return nil
}

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

// fits reports what the server cannot do of what is asked.
func (c *Config) fits(facts kvs.Facts) error {
	if facts.Hash != "" && c.Hash != facts.Hash {
		return fmt.Errorf("the client hashes keys with %q, but the %s server with %q: give both the "+
			"same function",
			c.Hash, facts.Store, facts.Hash)
	}
	if most := facts.MaxKeyBytes; most > 0 && c.KeyBytes > most {
		return fmt.Errorf("keys have %d bytes, but the %s server takes at most %d, over its protocol %s",
			c.KeyBytes, facts.Store, most, facts.Protocol)
	}
	if facts.MaxBatch > 0 && c.Batch > facts.MaxBatch {
		return fmt.Errorf("batch is %d, but the %s server takes at most %d operations a batch",
			c.Batch, facts.Store, facts.MaxBatch)
	}
	return nil
}

// cpuOf is the CPU that a thread is pinned to, -1 if none.
func (c *Config) cpuOf(thread int) int {
	if len(c.CPUs) == 0 {
		return -1
	}
	return c.CPUs[thread%len(c.CPUs)]
}
