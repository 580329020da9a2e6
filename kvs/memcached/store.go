package memcached

import (
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
var Store = kind.Row(kvs.Store{
	Name: program, Title: "Memcached", TTLUnit: ttlUnit,
	Protocols: Protocols, ProtocolHelp: "meta or binary (default: meta if the server has it)",
	Check:     checkLoad,
	Endpoints: endpoints,
	Command:   kvs.Command{ThreadsHelp: "threads (-t); each of them serves every key"},
}, Access)

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
