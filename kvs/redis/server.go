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

// Config configures a server.
type Config = installed.Config

// Server is a running Redis.
type Server = installed.Server

// Start runs the installed redis-server.
func Start(cfg Config) (*Server, error) { return installed.Start(cfg, plain.kind()) }

// Installed returns the path of redis-server, or how to install it.
func Installed() (string, error) { return plain.kind().Find() }

const maxWorkers = 128 // IO_THREADS_MAX_NUM

// arguments are those of Redis and Valkey. The program reads no configuration file, so all other
// settings are its defaults.
func arguments(cfg *Config, host, port string) ([]string, error) {
	if cfg.Workers > maxWorkers {
		return nil, fmt.Errorf("threads: found %d, allowed: at most %d io-threads",
			cfg.Workers, maxWorkers)
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
		args = append(args, "--io-threads", strconv.Itoa(cfg.Workers), "--io-threads-do-reads",
			"yes")
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsLoopback() {
		args = append(args, "--protected-mode", "no") // otherwise it answers loopback only
	}
	return args, nil
}

func (p *product) look(ctx context.Context, c *kvs.DialConfig) (kvs.Facts, error) {
	r, err := p.dial(ctx, c.Addr, Options{Credentials: c.Credentials})
	if err != nil {
		return kvs.Facts{}, err
	}
	return r.Facts(), r.Close()
}
