package memcached

import (
	"context"
	"fmt"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
)

// passwordVariable has the password of a server's auth file. memcached's own tools know none.
const passwordVariable = "DPUKV_MEMCACHED_PASSWORD"

// ttlUnit is that of the expiry in both protocols.
const ttlUnit = time.Second

var endpoints = kvs.EndpointRules{Scheme: program, PasswordVariable: passwordVariable}

// Store is memcached's row in the table of stores.
var Store = kvs.Store{
	Name: program, Title: "Memcached",
	Study: Study, MaxBatch: MaxBatch, TTLUnit: ttlUnit,
	Protocols: Protocols, ProtocolHelp: "meta or binary (default: meta if the server has it)",
	Check: checkLoad,
	Start: func(c *kvs.ServerConfig) (kvs.Server, error) {
		return Start(installed.ConfigOf(c))
	},
	Dial: func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
		return Dial(ctx, c.Addr, Options{
			CPUs: c.ServerCPUs, Protocol: c.Protocol, Credentials: c.Credentials,
		})
	},
	Attach:    func(c *kvs.DialConfig) (kvs.Server, error) { return Attach(c) },
	Endpoints: endpoints,
	Program:   Installed,
	Command: kvs.Command{
		Short:       "Run the installed memcached",
		Long:        "Run the installed memcached" + installed.Help,
		Example:     "  dpukv serve memcached --server-threads 1 --cpus 0",
		Listen:      installed.Listen,
		ListenHelp:  installed.ListenHelp,
		ThreadsHelp: "threads (-t); each of them serves every key",
	},
}

// checkLoad refuses keys that exceed its lines, and modes that its threads do not support.
func checkLoad(c *kvs.LoadConfig) error {
	switch {
	case c.KeyBytes > MaxKeyBytes:
		return fmt.Errorf("key_bytes: found %d, allowed by memcached: at most %d",
			c.KeyBytes, MaxKeyBytes)
	case c.KeyBytes > MaxKeyBytesMeta && c.Protocol != Binary:
		return fmt.Errorf("key_bytes: found %d, allowed by memcached's meta protocol: at most "+
			"%d, or %d with protocol %s",
			c.KeyBytes, MaxKeyBytesMeta, MaxKeyBytes, Binary)
	}
	return installed.CheckAccess(c, Access, "any thread of memcached reads and writes every key")
}
