package redis

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
)

// product is a server that speaks the protocol. Each is a store, as their threads and counters
// differ.
type product struct {
	name, title string // of the store
	program     string
	debian      string // Debian's package; "": it has none
	// version is the field of INFO with the version. Only this product has it, but for Redis's.
	version string
	// passwordVariable is that of the product's own command-line client.
	passwordVariable string
	why              string // one access mode only
	threadsHelp      string
	arguments        func(c *kvs.ServerConfig, host, port string) ([]string, error)
	// shared reports that all threads execute commands.
	shared bool
	// seconds parses a CPU time.
	seconds func(text string) (float64, error)
}

var plain = product{
	name: "redis", title: "Redis", program: "redis-server", debian: "redis-server",
	version: "redis_version", passwordVariable: "REDISCLI_AUTH",
	why: "one thread of redis executes all commands", threadsHelp: ioThreads,
	arguments: arguments, seconds: decimal,
}

var valkey = product{
	name: "valkey", title: "Valkey", program: "valkey-server", debian: "valkey-server",
	version: "valkey_version", passwordVariable: "VALKEYCLI_AUTH",
	why: "one thread of valkey executes all commands", threadsHelp: ioThreads,
	arguments: arguments, seconds: decimal,
}

var dragonfly = product{
	name: "dragonfly", title: "Dragonfly", program: "dragonfly",
	version: "dragonfly_version", passwordVariable: "REDISCLI_AUTH",
	why:         "each key of dragonfly belongs to one thread",
	threadsHelp: "threads (--proactor_threads); each has a part of the keys",
	arguments:   dragonflyArguments, shared: true, seconds: unpadded,
}

const ioThreads = "1, or the number of io-threads, which move bytes for the one thread that " +
	"executes commands"

// productOf returns the product that a server's INFO tells of, and its version. All tell the
// version of Redis that they resemble.
func productOf(server map[string]string) (p *product, version string) {
	for _, p := range []*product{&valkey, &dragonfly, &plain} {
		if version := server[p.version]; version != "" {
			return p, version
		}
	}
	return nil, ""
}

// allows refuses another product than the one that the store is named after. The store of Redis
// takes all, by their protocol.
func (p *product) allows(found *product, version string) error {
	if p == &plain || p == found {
		return nil
	}
	return fmt.Errorf("found %s %s, allowed with store %s: %s; use store %s", found.title, version,
		p.name, p.title, found.name)
}

// kind describes the product's program.
func (p *product) kind() *installed.Kind {
	return &installed.Kind{
		Program: p.program, Package: p.debian, Args: p.arguments, Dial: p.dialStore,
	}
}

// dragonflyArguments are those of Dragonfly. It refuses to start with less memory per thread.
func dragonflyArguments(c *kvs.ServerConfig, host, port string) ([]string, error) {
	const leastPerThread = 256 << 20
	memory := max(installed.MemoryBytes(c), int64(c.Workers)*leastPerThread)
	return []string{
		"--bind", host, "--port", port, "--proactor_threads", strconv.Itoa(c.Workers),
		"--maxmemory", strconv.FormatInt(memory, 10),
		fmt.Sprintf("--cache_mode=%t", c.Mode == "cache"),
		"--dbfilename=", "--logtostderr", "--version_check=false", // it writes and calls nothing
	}, nil
}

func decimal(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// unpadded parses a time of Dragonfly: seconds, a point, and microseconds without leading zeros.
func unpadded(text string) (float64, error) {
	whole, micros, _ := strings.Cut(text, ".")
	s, err := strconv.ParseUint(whole, 10, 32)
	if err != nil {
		return math.NaN(), err
	}
	us, err := strconv.ParseUint(micros, 10, 32)
	return float64(s*1e6+us) / 1e6, err
}
