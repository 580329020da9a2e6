package mica

import (
	"fmt"

	"dpukv/internal/cpu"
	"dpukv/internal/machine"
	"dpukv/internal/offheap"
	"dpukv/internal/ports"
	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// MaxWorkers is the maximum number of workers. A client refuses a server that reports more.
const MaxWorkers = 1024

// Config configures a server.
type Config struct {
	// Listen is the address of worker 0. With a port other than 0, worker i listens on port + i.
	// With a range of ports, each worker listens on the first that is free: see [ports.Listen].
	Listen string
	// Workers is the number of event loops. PartitionsPerWorker is the number of partitions that
	// each owns.
	Workers, PartitionsPerWorker int
	Mode                         partition.Mode
	Access                       partition.Access
	// Items and LogBytes size the store: see [partition.Config].
	Items    int
	LogBytes int64
	Pages    offheap.Pages
	// Hash is the name of the hash function that clients must use.
	Hash string
	// CPUs are the CPUs that the workers are pinned to, in turn. None: not pinned.
	CPUs []int
	// Poll makes the workers look for requests again and again. Else they sleep without any.
	Poll bool
	// Version is the build's version. The server reports it to clients.
	Version string

	// MaxConnections is the maximum number of concurrent connections, over all workers. 0: three
	// quarters of the files that the process may open, at most DefaultMaxConnections.
	MaxConnections int
	// BufferBytes is the most memory for connections' buffers. 0: DefaultBufferBytes.
	BufferBytes int64

	timeouts timeouts // zero: defaultTimeouts
}

// check refuses settings that would only fail later, or would silently not take effect.
func (c *Config) check() error {
	if c.Workers < 1 || c.Workers > MaxWorkers {
		return fmt.Errorf("workers: found %d, allowed: 1 to %d", c.Workers, MaxWorkers)
	}
	if c.Hash == "" {
		return fmt.Errorf("hash function: found none")
	}
	if err := cpu.MayUse(c.CPUs); err != nil {
		return err
	}
	_, err := c.addr(0)
	return err
}

// wait names the way in which the workers wait.
func (c *Config) wait() string {
	if c.Poll {
		return kvs.WaitPoll
	}
	return kvs.WaitSleep
}

// crowded is a warning beside all counters of a server whose polling workers have no CPU each; nil:
// they have.
func (c *Config) crowded() []string {
	if !c.Poll {
		return nil
	}
	if why := machine.CrowdedPollers(c.Workers, c.CPUs); why != "" {
		return []string{"the server's workers share CPUs, and poll: " + why + ". A worker waits " +
			"while another polls: use fewer, give them more CPUs, or let them sleep"}
	}
	return nil
}

// addr returns the address that a worker listens on.
func (c *Config) addr(worker int) (string, error) {
	host, r, err := ports.Split(c.Listen)
	switch {
	case err != nil:
		return "", err
	case r.Any():
	case r.First < r.Last && r.Count() < c.Workers:
		return "", fmt.Errorf("listen address: found %q, allowed: at least %d ports for %d "+
			"workers", c.Listen, c.Workers, c.Workers)
	case r.First < r.Last:
	case r.First+c.Workers > 1<<16:
		return "", fmt.Errorf("listen address: found %q, allowed: a port of 0 to %d for %d "+
			"workers", c.Listen, 1<<16-c.Workers, c.Workers)
	default:
		r.First, r.Last = r.First+worker, r.First+worker
	}
	return ports.Join(host, r), nil
}

// Table makes the table of the partitions.
func (c *Config) Table() (*partition.Table, error) {
	return partition.New(partition.Config{
		Mode: c.Mode, Access: c.Access, Cores: c.Workers, PerCore: c.PartitionsPerWorker,
		Items: c.Items, LogBytes: c.LogBytes, Pages: c.Pages,
	})
}
