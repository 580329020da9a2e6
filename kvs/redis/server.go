package redis

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
)

// Config is what a server is started with.
type Config = installed.Config

// Server is a running Redis.
type Server = installed.Server

const program = "redis-server" // and Debian's package

var kind = installed.Kind{Program: program, Package: program, Args: arguments, Look: look}

// Start runs the installed redis-server.
func Start(cfg Config) (*Server, error) { return installed.Start(cfg, &kind) }

// Attach takes the server at addr, which stays as it is.
func Attach(addr string) (*Server, error) { return installed.Attach(addr, &kind) }

// Installed tells where the program is, or how to get it.
func Installed() (string, error) { return kind.Find() }

const maxWorkers = 128 // IO_THREADS_MAX_NUM

// arguments are the program's. It reads no configuration file, so that its settings are its
// defaults but for these.
func arguments(cfg *Config, host, port string) ([]string, error) {
	if cfg.Workers > maxWorkers {
		return nil, fmt.Errorf("%d threads: redis takes at most %d io-threads", cfg.Workers, maxWorkers)
	}
	policy := "noeviction"
	if cfg.Mode == "cache" {
		policy = "allkeys-lru"
	}
	args := []string{
		"--bind", host, "--port", port, "--daemonize", "no", "--dir", os.TempDir(),
		"--save", "", "--appendonly", "no", // nothing is written there
		"--maxmemory", strconv.FormatInt(cfg.MemoryBytes(), 10), "--maxmemory-policy", policy,
	}
	if cfg.Workers > 1 {
		args = append(args, "--io-threads", strconv.Itoa(cfg.Workers), "--io-threads-do-reads", "yes")
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsLoopback() {
		args = append(args, "--protected-mode", "no") // else it talks to loopback only
	}
	return args, nil
}

func look(ctx context.Context, addr string) (kvs.Facts, error) {
	r, err := Dial(ctx, addr, Options{})
	if err != nil {
		return kvs.Facts{}, err
	}
	return r.Facts(), r.Close()
}
