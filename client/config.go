package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
)

// Defaults of the zero values in a Config.
const (
	DefaultTimeout  = 2 * time.Second
	DefaultInterval = 100 * time.Millisecond
	DefaultCoolDown = 5 * time.Second
)

// MaxThreads is the highest number of threads that a Config may ask for. Go ends a process with
// 10,000 threads.
const MaxThreads = 1024

// minTimeout exceeds the time for which a client that shares its CPU may not get to run.
const minTimeout = 10 * time.Millisecond

// errNothingHashed reports that there is no share of hashing to check.
var errNothingHashed = errors.New("check_hash: found it with hash none, which hashes nothing; " +
	"choose a hash function, or leave check_hash out")

// errHashOfTrace reports a check that would store keys of its own among those of a trace.
var errHashOfTrace = errors.New("check_hash: found it with a trace, allowed: without one; the " +
	"check makes operations that the trace does not have")

// Config describes one load, its threads, and its duration.
type Config struct {
	// Load is the load to offer. All threads together offer its rate.
	load.Load
	Threads int // of load, each with a session of its own
	// Duration is the length of the measurement period. It is 0 if the period ends with the
	// requests of the load.
	Duration time.Duration
	// CheckHash adds a phase after the load. The phase measures the share of hashing a second way,
	// by leaving hashing out.
	CheckHash bool
	// CPUs pins thread i to CPUs[i%len(CPUs)]; empty: not pinned.
	CPUs []int
	// Timeout is the longest wait for an answer; an answer that takes longer ends the run. 0:
	// DefaultTimeout.
	Timeout time.Duration
	// Interval is the time between two reports, and the length of an interval in the histogram log.
	// 0: DefaultInterval.
	Interval time.Duration
	// ServerAddr names the server in errors and in the point.
	ServerAddr string
	// SameHost says that client and server share a machine, so that their CPUs are comparable.
	SameHost bool
	// SharedServer says that the server shares its CPUs with other work on purpose. Then the CPU
	// time of that work is no warning.
	SharedServer bool
	// Preloaded says that another client stores the keys; this client only asks for them. So
	// several clients can put one workload on a server together.
	Preloaded bool
	// Guard protects the items of others; nil: the server is dpukv's own, and has none.
	Guard *Guard
	// Converted is the compact form of Load.Trace, a CSV file; "": that is compact itself.
	Converted string
	// KnownTrace is what an earlier run found Load.Trace to be; nil: there was none.
	KnownTrace *trace.Identity
	// FirstThread is the number of this client's first thread among the threads of all clients.
	// AllThreads is the number of all those threads. So no two threads do the same operations.
	// AllThreads 0 means that this client is the only one.
	FirstThread, AllThreads int
	// OnReady is called with the share of keys found, once all keys are stored and verified. The
	// load begins when it returns. It may be nil.
	OnReady func(ctx context.Context, hitRate float64) error
	// OnPeriodOver is called once the measurement period is over. The load goes on, unrecorded,
	// until it returns. So this client loads the server for as long as others measure. An error
	// fails the run, unless MaxCoolDown is over: then the load ends, and the point has a warning.
	// nil: the load ends with the measurement period.
	OnPeriodOver func(ctx context.Context) error
	// MaxCoolDown is the time after which the context of OnPeriodOver ends. 0: DefaultCoolDown.
	MaxCoolDown time.Duration
	// OnDone is called once the load is over and every request is answered, before the connections
	// close. Nothing is in flight then. It may be nil. A failed run does not call it.
	OnDone func(ctx context.Context) error
	// OnProgress receives the run's progress, from one goroutine at a time. It may be nil, and must
	// return soon.
	OnProgress func(Progress)

	replay *replay        // of Load.Trace; nil: there is none
	hash   hashbench.Func // the function named by Load.Hash
}

func (c *Config) setDefaults() {
	if c.Dist == "" && !c.Replays() {
		c.Dist = load.Uniform
	}
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Interval = cmp.Or(c.Interval, DefaultInterval)
	c.MaxCoolDown = cmp.Or(c.MaxCoolDown, DefaultCoolDown)
	c.AllThreads = cmp.Or(c.AllThreads, c.Threads)
}

// Check reports what no server could do of the load. Without a hash function, the server's is to
// be used.
func (c Config) Check() error {
	c.setDefaults()
	if c.Hash == "" {
		c.Hash = hashbench.Names()[0]
	}
	return c.validate()
}

func (c *Config) validate() error {
	if err := c.Load.Validate(); err != nil {
		return err
	}
	switch {
	case c.Threads < 1 || c.Threads > MaxThreads:
		return fmt.Errorf("client_threads: found %d, allowed: 1 to %d", c.Threads, MaxThreads)
	case c.FirstThread < 0 || c.FirstThread+c.Threads > c.AllThreads:
		return fmt.Errorf("threads: found %d from number %d on, allowed: within the %d of all "+
			"clients", c.Threads, c.FirstThread, c.AllThreads)
	case c.Requests > 0 && c.Duration != 0:
		return fmt.Errorf("requests: found %d with a duration of %v, allowed: one of the two",
			c.Requests, c.Duration)
	case c.Requests == 0 && c.Duration <= 0 && !c.wholeTrace():
		return fmt.Errorf("duration: found %v, allowed: more than 0", c.Duration)
	case c.Timeout < minTimeout:
		return fmt.Errorf("timeout: found %v, allowed: %v or more", c.Timeout, minTimeout)
	case c.Interval < time.Millisecond:
		return fmt.Errorf("interval: found %v, allowed: 1ms or more", c.Interval)
	case c.Compute > c.Timeout/2:
		return fmt.Errorf("compute: found %v, allowed: up to half the timeout, %v; answers wait "+
			"for the end of a compute", c.Compute, c.Timeout/2)
	case c.CheckHash && c.Hash == kvs.NoHash:
		return errNothingHashed
	case c.CheckHash && c.Replays():
		return errHashOfTrace
	}
	if i := slices.IndexFunc(c.CPUs, func(cpu int) bool { return cpu < 0 }); i >= 0 {
		return fmt.Errorf("cpus: found %d, allowed: 0 or more", c.CPUs[i])
	}
	return nil
}

// wholeTrace reports whether the measurement ends with the trace.
func (c *Config) wholeTrace() bool { return c.Replays() && c.Duration == 0 }

// longestKey and largestValue are sizes in bytes.
func (c *Config) longestKey() int {
	if c.replay != nil {
		return c.replay.file.Summary().MaxKeyBytes
	}
	return c.MaxKeyBytes()
}

func (c *Config) largestValue() int {
	if c.replay != nil {
		return c.replay.file.Summary().MaxValueBytes
	}
	return c.MaxValueBytes()
}

// hashedBytes is the size of the keys by which hashing is calibrated: the mean, or a trace's
// longest.
func (c *Config) hashedBytes() int {
	if c.replay != nil {
		return c.longestKey()
	}
	return c.KeyBytes
}

// findHash looks up the function that Hash names in package hashbench; [kvs.NoHash] names none.
func (c *Config) findHash() (err error) {
	if c.hashes() || c.Hash == kvs.NoHash {
		return nil
	}
	c.hash, err = hashbench.Lookup(c.Hash)
	return err
}

// hashes reports whether keys are hashed.
func (c *Config) hashes() bool { return c.hash.Sum64 != nil }

// Fits reports the parts of the load that the server cannot do. The load has a hash by then.
func (c *Config) Fits(facts kvs.Facts) error {
	if facts.Hash != "" && c.Hash != facts.Hash {
		return fmt.Errorf("hash: found %q, the %s server has %q: give both the same function",
			c.Hash, facts.Store, facts.Hash)
	}
	if most := facts.MaxKeyBytes; most > 0 && c.longestKey() > most {
		return fmt.Errorf("key_bytes: found %d, allowed by the %s server: at most %d with "+
			"protocol %s",
			c.longestKey(), facts.Store, most, facts.Protocol)
	}
	if facts.MaxBatch > 0 && c.Batch > facts.MaxBatch {
		return fmt.Errorf("batch: found %d, allowed by the %s server: at most %d",
			c.Batch, facts.Store, facts.MaxBatch)
	}
	if c.ReconnectEvery > 0 && facts.Transport == "rdma" {
		return fmt.Errorf("reconnect_every: found %d with the %s server over %s, allowed: 0; "+
			"connections reopen over TCP only", c.ReconnectEvery, facts.Store, facts.Transport)
	}
	return nil
}

// cpuOf returns the CPU that a thread is pinned to, or -1.
func (c *Config) cpuOf(thread int) int {
	if len(c.CPUs) == 0 {
		return -1
	}
	return c.CPUs[thread%len(c.CPUs)]
}
