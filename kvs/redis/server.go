package redis

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
)

const maxWorkers = 128 // IO_THREADS_MAX_NUM

// arguments are those of Redis and Valkey. The program reads no configuration file, so all other
// settings are its defaults.
func arguments(c *kvs.ServerConfig, host, port string) ([]string, error) {
	if c.Workers > maxWorkers {
		return nil, fmt.Errorf("threads: found %d, allowed: at most %d io-threads",
			c.Workers, maxWorkers)
	}
	policy := "noeviction"
	if c.Mode == "cache" {
		policy = "allkeys-lru"
	}
	args := []string{
		"--bind", host, "--port", port, "--daemonize", "no", "--dir", os.TempDir(),
		"--save", "", "--appendonly", "no", // nothing is written there
		"--maxmemory", strconv.FormatInt(installed.MemoryBytes(c), 10),
		"--maxmemory-policy", policy,
	}
	if c.Workers > 1 {
		args = append(args, "--io-threads", strconv.Itoa(c.Workers), "--io-threads-do-reads",
			"yes")
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsLoopback() {
		args = append(args, "--protected-mode", "no") // otherwise it answers loopback only
	}
	return args, nil
}
