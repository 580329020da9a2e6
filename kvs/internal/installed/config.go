package installed

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/kvs"
)

// Config is what a server is started with.
type Config struct {
	// Listen is HOST:PORT; port 0: one that is free.
	Listen  string
	Workers int // threads that serve
	// Mode is "cache" (the server may evict to make room) or "store" (it may not).
	Mode string
	// Items of these sizes are what the server is given memory for, generously.
	Items, KeyBytes, ValueBytes int
	// CPUs are those that the process may use. None: all that this one may.
	CPUs []int
}

// Kind is a server program.
type Kind struct {
	Program string // "memcached"
	Package string // Debian's, for those who lack it
	// Args are its arguments.
	Args func(cfg *Config, host, port string) ([]string, error)
	// Look asks the server at an address what it is.
	Look func(ctx context.Context, addr string) (kvs.Facts, error)
}

// Find is the path of a kind's program.
func (k *Kind) Find() (string, error) {
	path, err := exec.LookPath(k.Program)
	if err != nil {
		return "", fmt.Errorf("%s is not installed here, or not in PATH: install it (Debian: apt-get install %s), or measure one that runs elsewhere",
			k.Program, k.Package)
	}
	return path, nil
}

const overheadBytes = 128 // of an item, at most, in either program

// MemoryBytes is room for the items, twice over: a limit that is not reached costs nothing.
func (c *Config) MemoryBytes() int64 {
	return 64<<20 + 2*int64(c.Items)*int64(c.KeyBytes+c.ValueBytes+overheadBytes)
}

func (c *Config) check() (host, port string, err error) {
	host, port, err = net.SplitHostPort(c.Listen)
	if err != nil {
		return "", "", fmt.Errorf("listen address %q: want HOST:PORT: %w", c.Listen, err)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 1<<16-1 {
		return "", "", fmt.Errorf("listen address %q: want a port of 0 to 65535", c.Listen)
	}
	if net.ParseIP(host) == nil {
		return "", "", fmt.Errorf("listen address %q: want an IP address of this machine: the server is to be reached there, and nowhere else", c.Listen)
	}
	if c.Mode != "cache" && c.Mode != "store" {
		return "", "", fmt.Errorf("mode: found %q, allowed: cache, store", c.Mode)
	}
	if c.Workers < 1 || c.Items < 1 {
		return "", "", fmt.Errorf("%d threads for %d items: want at least one of each", c.Workers, c.Items)
	}
	return host, port, cpu.MayUse(c.CPUs)
}

// freePort is one that nobody listens at, for now.
func freePort(host string) (string, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", err
	}
	return port, l.Close()
}

// inUse tells from a program's words that somebody else has its port.
func inUse(words string) bool {
	return strings.Contains(strings.ToLower(words), "address already in use")
}
