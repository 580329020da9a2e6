package memcached

import (
	"context"
	"fmt"
	"math/bits"
	"os"
	"os/user"
	"strconv"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
	"dpukv/kvs/internal/pipeline"

	"golang.org/x/sys/unix"
)

const program = "memcached" // and Debian's package

var kind = installed.Kind{Program: program, Package: program, Args: arguments, Dial: dialStore}

const (
	maxWorkers  = 64 // memcached warns of more
	maxClients  = 8192
	spareFiles  = 64 // for files other than connections
	bytesPerMiB = 1 << 20

	minHashPower, maxHashPower = 16, 32 // memcached's own default and limit
)

// arguments are the program's arguments (memcached -h).
func arguments(c *kvs.ServerConfig, host, port string) ([]string, error) {
	if c.KeyBytes > MaxKeyBytes {
		return nil, fmt.Errorf("key_bytes: found %d, allowed by memcached: at most %d", c.KeyBytes,
			MaxKeyBytes)
	}
	if c.Workers > maxWorkers {
		return nil, fmt.Errorf("threads: found %d, allowed by memcached: at most %d", c.Workers,
			maxWorkers)
	}
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return nil, fmt.Errorf("getrlimit: %w", err)
	}
	clients := min(maxClients, max(files.Max, 2*spareFiles)-spareFiles)
	args := []string{
		"-l", host, "-p", port, "-U", "0", // TCP only
		"-t", strconv.Itoa(c.Workers),
		"-m", strconv.FormatInt((installed.MemoryBytes(c)+bytesPerMiB-1)/bytesPerMiB, 10),
		"-c", strconv.FormatUint(clients, 10),
		"-R", strconv.Itoa(pipeline.MaxBatch),
		"-o", fmt.Sprintf("hashpower=%d", hashPower(c.Items)),
	}
	if c.Mode == "store" {
		args = append(args, "-M")
	}
	if os.Geteuid() == 0 { // as root it requires a user
		name := "root"
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
		args = append(args, "-u", name)
	}
	return args, nil
}

// hashPower sizes the hash table with one bucket per item, as MICA's index is sized for its items.
// By default memcached's begins with 65,536 buckets and grows bit by bit, in the middle of the
// measurement.
func hashPower(items int) int {
	return min(max(bits.Len(uint(items-1)), minHashPower), maxHashPower)
}

func dialStore(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
	return Dial(ctx, c.Addr, Options{
		CPUs: c.ServerCPUs, Protocol: c.Protocol, Credentials: c.Credentials,
	})
}
