package redis

import (
	"context"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
)

// ttlUnit is that of the option PX.
const ttlUnit = time.Millisecond

// These are the rows of the table of stores. Redis's takes any server of the protocol that runs
// already.
var (
	Store     = plain.store()
	Valkey    = valkey.store()
	Dragonfly = dragonfly.store()
)

func (p *product) endpoints() *kvs.EndpointRules {
	return &kvs.EndpointRules{
		Scheme: p.name, Databases: true, PasswordVariable: p.passwordVariable,
	}
}

// store is the product's row.
func (p *product) store() kvs.Store {
	return p.kind().Row(kvs.Store{
		Name: p.name, Title: p.title, TTLUnit: ttlUnit, Protocols: Protocols,
		ProtocolHelp: "get, or one mget for consecutive GETs of a batch (default get)",
		Check: func(c *kvs.LoadConfig) error {
			return installed.CheckAccess(c, Access, p.why)
		},
		Endpoints: *p.endpoints(),
		Command:   kvs.Command{ThreadsHelp: p.threadsHelp},
	}, Access)
}

func (p *product) dialStore(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
	return p.dial(ctx, c.Addr, Options{
		CPUs: c.ServerCPUs, Protocol: c.Protocol, Credentials: c.Credentials,
	})
}
