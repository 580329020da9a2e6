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

// Kind describes a server program.
type Kind struct {
	Program string // "memcached"
	Package string // Debian's package, named if the program is missing
	// Args returns its arguments.
	Args func(c *kvs.ServerConfig, host, port string) ([]string, error)
	// Dial connects a client to a server.
	Dial func(context.Context, *kvs.DialConfig) (kvs.Remote, error)
}

// look asks a server for its facts.
func (k *Kind) look(ctx context.Context, c *kvs.DialConfig) (kvs.Facts, error) {
	r, err := k.Dial(ctx, &kvs.DialConfig{Addr: c.Addr, Credentials: c.Credentials})
	if err != nil {
		return kvs.Facts{}, err
	}
	return r.Facts(), r.Close()
}

// Find returns the path of a kind's program.
func (k *Kind) Find() (string, error) {
	return program.Find(k.Program, k.Package, "measure one that runs elsewhere")
}

const overheadBytes = 128 // per item, at most, in either program

// MemoryBytes returns the memory for items as the configuration says, or twice the room for the
// items: an unused limit costs nothing.
func MemoryBytes(c *kvs.ServerConfig) int64 {
	if c.MemoryBytes > 0 {
		return c.MemoryBytes
	}
	return 64<<20 + 2*int64(c.Items)*int64(c.KeyBytes+c.ValueBytes+overheadBytes)
}

func check(c *kvs.ServerConfig) (host string, r ports.Range, err error) {
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
