package installed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/internal/program"
	"dpukv/kvs"
)

// Config configures a server.
type Config struct {
	// Listen is HOST:PORT, or HOST:FIRST-LAST for a free port of these. Port 0 stands for any.
	Listen  string
	Workers int // threads that serve
	// Mode is "cache" (the server may evict to make room) or "store" (it may not).
	Mode string
	// Items of these sizes fit the server's memory, generously.
	Items, KeyBytes, ValueBytes int
	// LimitBytes is the memory for items instead; 0: as the items need.
	LimitBytes int64
	// CPUs are the CPUs that the process may use. None: all that this process may use.
	CPUs []int
}

// Kind describes a server program.
type Kind struct {
	Program string // "memcached"
	Package string // Debian's package, named if the program is missing
	// Args returns its arguments.
	Args func(cfg *Config, host, port string) ([]string, error)
	// Look asks a server for its facts.
	Look func(context.Context, *kvs.DialConfig) (kvs.Facts, error)
}

// Find returns the path of a kind's program.
func (k *Kind) Find() (string, error) {
	return program.Find(k.Program, k.Package, "measure one that runs elsewhere")
}

const overheadBytes = 128 // per item, at most, in either program

// MemoryBytes returns the limit, or twice the room for the items: an unused limit costs nothing.
func (c *Config) MemoryBytes() int64 {
	if c.LimitBytes > 0 {
		return c.LimitBytes
	}
	return 64<<20 + 2*int64(c.Items)*int64(c.KeyBytes+c.ValueBytes+overheadBytes)
}

func (c *Config) check() (host string, r ports.Range, err error) {
	if host, r, err = ports.Split(c.Listen); err != nil {
		return "", r, err
	}
	if net.ParseIP(host) == nil {
		return "", r, fmt.Errorf("listen address: found %q, allowed: one IP address of this "+
			"machine", c.Listen)
	}
	if c.Mode != "cache" && c.Mode != "store" {
		return "", r, fmt.Errorf("mode: found %q, allowed: cache, store", c.Mode)
	}
	if c.Workers < 1 || c.Items < 1 {
		return "", r, fmt.Errorf("found %d threads for %d items, allowed: at least one of "+
			"each", c.Workers,
			c.Items)
	}
	return host, r, cpu.MayUse(c.CPUs)
}

// freePort returns a port of the range that nobody listens on at present.
func freePort(host string, r ports.Range) (string, error) {
	l, err := ports.Listen(ports.Join(host, r))
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// inUse reports whether a program's output says that its port is taken.
func inUse(words string) bool {
	return strings.Contains(strings.ToLower(words), "address already in use")
}
