package stores

import (
	"fmt"

	"dpukv/kvs/memcached"
	"dpukv/kvs/redis"
)

// The stores of other makers: their program runs on the server's node, and must be installed there.

// installed is how such a program is started for the workload. Its Config is the same for both.
func (s *ServerSpec) installed(cpus []int) memcached.Config {
	return memcached.Config{
		Listen: s.Listen, Workers: s.Workers, Mode: s.Mode,
		Items: s.Keys, KeyBytes: s.KeyBytes, ValueBytes: s.ValueBytes, CPUs: cpus,
	}
}

// checkMemcached refuses keys that its lines have no room for.
func checkMemcached(c *Demand) error {
	switch {
	case c.KeyBytes > memcached.MaxKeyBytes:
		return fmt.Errorf("key_bytes: found %d, allowed: at most %d, which is what memcached takes", c.KeyBytes, memcached.MaxKeyBytes)
	case c.KeyBytes > memcached.MaxKeyBytesMeta && c.Protocol != memcached.Binary:
		return fmt.Errorf("key_bytes: found %d, allowed: at most %d, which is what a line of memcached's meta protocol takes in base64, or %d with protocol %s",
			c.KeyBytes, memcached.MaxKeyBytesMeta, memcached.MaxKeyBytes, memcached.Binary)
	}
	return ownAccess(c, memcached.Access, "any thread of memcached reads and writes anything")
}

func checkRedis(c *Demand) error {
	return ownAccess(c, redis.Access, "one thread of redis executes all commands")
}

func ownAccess(c *Demand, own, why string) error {
	if c.Access == own {
		return nil
	}
	return fmt.Errorf("access: found %s, allowed: %s, as %s; leave it out to give each store its own", c.Access, own, why)
}
