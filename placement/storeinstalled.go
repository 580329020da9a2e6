package placement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/kvs/memcached"
	"dpukv/kvs/redis"
)

// The stores of other makers: their program runs on the server's node, and must be installed there.

// installed is how such a program is started for the workload. Its Config is the same for both.
func (s *serverSpec) installed(cpus []int) memcached.Config {
	return memcached.Config{
		Listen: s.Listen, Workers: s.Workers, Mode: s.Mode,
		Items: s.Keys, KeyBytes: s.KeyBytes, ValueBytes: s.ValueBytes, CPUs: cpus,
	}
}

// ownProtocol leaves the choice to the store's client.
const ownProtocol = "default"

// protocols are those of all stores.
var protocols = codec[string]{
	parse: func(s string) (string, error) {
		if s == ownProtocol {
			return "", nil
		}
		if !slices.Contains(slices.Concat(memcached.Protocols, redis.Protocols), s) {
			return "", errNotAllowed
		}
		return s, nil
	},
	format:  func(s string) string { return cmp.Or(s, ownProtocol) },
	allowed: ownProtocol + ", with memcached " + strings.Join(memcached.Protocols, ", ") + ", with redis " + strings.Join(redis.Protocols, ", "),
}

// checkMemcached refuses keys that its lines have no room for.
func checkMemcached(c *Config) error {
	switch {
	case c.KeyBytes > memcached.MaxKeyBytes:
		return fmt.Errorf("key_bytes: found %d, allowed: at most %d, which is what memcached takes", c.KeyBytes, memcached.MaxKeyBytes)
	case c.KeyBytes > memcached.MaxKeyBytesMeta && c.Protocol != memcached.Binary:
		return fmt.Errorf("key_bytes: found %d, allowed: at most %d, which is what a line of memcached's meta protocol takes in base64, or %d with protocol %s",
			c.KeyBytes, memcached.MaxKeyBytesMeta, memcached.MaxKeyBytes, memcached.Binary)
	}
	return ownAccess(c, memcached.Access, "any thread of memcached reads and writes anything")
}

func checkRedis(c *Config) error {
	return ownAccess(c, redis.Access, "one thread of redis executes all commands")
}

func ownAccess(c *Config, own, why string) error {
	if c.Access == own {
		return nil
	}
	return fmt.Errorf("access: found %s, allowed: %s, as %s; leave it out to give each store its own", c.Access, own, why)
}

// checkPrograms refuses stores whose program is not installed, where that can be known before a node is visited: on this machine.
func (p *Plan) checkPrograms(server *Node) error {
	if !server.here() || p.sweep.Attach != "" {
		return nil
	}
	for _, store := range p.sweep.Stores {
		if find := stores[store].program; find != nil {
			if _, err := find(); err != nil {
				return fmt.Errorf("%sstores: %w", p.sweep.place("stores", store), err)
			}
		}
	}
	return nil
}
