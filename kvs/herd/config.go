package herd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/ports"
	"dpukv/kvs/partition"
	"dpukv/verbs/provider"
)

// maxWorkers is the maximum number of workers. A client refuses a server that reports more.
const maxWorkers = 1024

// Config configures a server.
type Config struct {
	// Listen is the TCP address at which clients ask for slots and counters: see [ports.Listen].
	Listen string
	// Device names the device that carries the requests: see [provider.Open], also for the options.
	// nil: the defaults.
	Device        string
	DeviceOptions *provider.Options
	// Workers is the number of threads that answer requests. Each owns one partition.
	Workers int
	Mode    partition.Mode
	// Items and LogBytes size the store: see [partition.Config].
	Items    int
	LogBytes int64
	Pages    offheap.Pages
	// Hash is the name of the hash function that clients must use.
	Hash string
	// CPUs are the CPUs that the workers are pinned to, in turn. None: not pinned.
	CPUs []int
	// Version is the build's version. The server reports it to clients.
	Version string
	// Window is the most requests that one connection may have in flight at one worker. MaxClients
	// is the maximum number of clients, SlotBytes the size of a slot. 0: the defaults.
	Window, MaxClients, SlotBytes int
	// MaxConnections is the maximum number of side channels: those of clients, and those that only
	// ask for counters. 0: four per client, if the process may open as many files.
	MaxConnections int
	// Faithful polls as the original does: one slot of each client per pass.
	Faithful bool
	// Extension is that of a store which builds on HERD. nil: HERD alone.
	Extension Extension

	// Tests replace these. nil: openDevice, TCP, the null device.
	open        opener
	listen      func(addr string) (net.Listener, error)
	spare       func() (io.Closer, error)
	manual      bool // tests run the steps of workers and of the door themselves
	unthrottled bool // no limit on the rate of requests for counters
}

// These are the defaults for zeros in a Config.
const (
	DefaultWindow     = 1024
	DefaultMaxClients = 256
	// DefaultHash is the hash function of the original and of the study.
	DefaultHash = "city128"
)

const maxWindow = 1 << 14

func (c *Config) setDefaults() {
	c.Device = cmp.Or(c.Device, DefaultDevice)
	c.Window = cmp.Or(c.Window, DefaultWindow)
	c.MaxClients = cmp.Or(c.MaxClients, DefaultMaxClients)
	c.SlotBytes = cmp.Or(c.SlotBytes, MinSlotBytes)
	if c.open == nil {
		c.open = openDevice
	}
	if c.listen == nil {
		c.listen = ports.Listen
	}
}

// check refuses settings that would only fail later, or would silently not take effect.
func (c *Config) check() error {
	switch {
	case c.Workers < 1 || c.Workers > maxWorkers:
		return fmt.Errorf("workers: found %d, allowed: 1 to %d", c.Workers, maxWorkers)
	case c.Hash == "":
		return errors.New("hash function: found none")
	case c.Window < 1 || c.Window > maxWindow:
		return fmt.Errorf("window: found %d requests, allowed: 1 to %d", c.Window, maxWindow)
	case c.MaxConnections < 0:
		return fmt.Errorf("connections: found %d, allowed: 1 or more", c.MaxConnections)
	case c.MaxClients < 1 || c.MaxClients > 1<<16:
		return fmt.Errorf("clients: found %d, allowed: 1 to %d", c.MaxClients, 1<<16)
	case c.SlotBytes < MinSlotBytes || c.SlotBytes > MaxSlotBytes || c.SlotBytes%wordBytes != 0:
		return fmt.Errorf("slots: found %d bytes, allowed: %d to %d, a multiple of %d", c.SlotBytes,
			MinSlotBytes, MaxSlotBytes, wordBytes)
	}
	if _, _, err := ports.Split(c.Listen); err != nil {
		return err
	}
	return cpu.MayUse(c.CPUs)
}

// connectionsPerClient is the number of side channels for each client that can have slots.
const connectionsPerClient = 4

// limitResources determines how many connections the process can hold. It checks that the machine
// has enough memory.
func (c *Config) limitResources() (err error) {
	def := connectionsPerClient * c.MaxClients
	if c.MaxConnections, err = admission.Limit(c.MaxConnections, def); err != nil {
		return err
	}
	return c.checkMemory(offheap.Fits)
}

func (c *Config) table() (*partition.Table, error) {
	return partition.New(partition.Config{
		Mode: c.Mode, Access: partition.EREW, Cores: c.Workers, PerCore: 1,
		Items: c.Items, LogBytes: c.LogBytes, Pages: c.Pages,
	})
}

// powerOfTwo returns the smallest power of two that is not below n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }
