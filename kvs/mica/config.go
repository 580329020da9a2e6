package mica

import (
	"fmt"
	"net"
	"strconv"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/kvs/partition"
)

// maxWorkers is the most workers of a server. A client refuses one that tells of more.
const maxWorkers = 1024

// Config is what a server is started with.
type Config struct {
	// Listen is the address of worker 0. With a port other than 0, worker i
	// listens i ports further.
	Listen string
	// Workers is the number of event loops; PartitionsPerWorker of what each owns.
	Workers, PartitionsPerWorker int
	Mode                         partition.Mode
	Access                       partition.Access
	// Items and LogBytes size the store: see [partition.Config].
	Items    int
	LogBytes int64
	Pages    offheap.Pages
	// Hash is the name of the hash function that clients must use.
	Hash string
	// CPUs are where the workers are pinned, in turn. None: not pinned.
	CPUs []int
	// Version is that of the build, to be told to clients.
	Version string

	// MaxConnections is the most at once, over all workers; 0: three quarters of the files that
	// the process may open, at most DefaultMaxConnections.
	MaxConnections int
	// BufferBytes is the most memory in connections' buffers; 0: DefaultBufferBytes.
	BufferBytes int64

	timeouts timeouts // zero: defaultTimeouts
}

// check refuses what would only fail later, or silently not be as asked.
func (c *Config) check() error {
	if c.Workers < 1 || c.Workers > maxWorkers {
		return fmt.Errorf("%d workers: want 1 to %d", c.Workers, maxWorkers)
	}
	if c.Hash == "" {
		return fmt.Errorf("no hash function named")
	}
	if err := cpu.MayUse(c.CPUs); err != nil {
		return err
	}
	_, err := c.addr(0)
	return err
}

// addr is where a worker listens.
func (c *Config) addr(worker int) (string, error) {
	host, service, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", fmt.Errorf("listen address %q: want HOST:PORT: %w", c.Listen, err)
	}
	port, err := strconv.Atoi(service)
	if err != nil || port < 0 || port+c.Workers > 1<<16 {
		return "", fmt.Errorf("listen address %q: want a port of 0 to %d for %d workers", c.Listen, 1<<16-c.Workers, c.Workers)
	}
	if port > 0 {
		port += worker
	}
	return net.JoinHostPort(host, strconv.Itoa(port)), nil
}

func (c *Config) table() (*partition.Table, error) {
	return partition.New(partition.Config{
		Mode: c.Mode, Access: c.Access, Cores: c.Workers, PerCore: c.PartitionsPerWorker,
		Items: c.Items, LogBytes: c.LogBytes, Pages: c.Pages,
	})
}
