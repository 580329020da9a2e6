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
	return kvs.Store{
		Name: p.name, Title: p.title,
		Study: Study, MaxBatch: MaxBatch, TTLUnit: ttlUnit,
		Protocols:    Protocols,
		ProtocolHelp: "get, or one mget for consecutive GETs of a batch (default get)",
		Check: func(c *kvs.LoadConfig) error {
			return installed.CheckAccess(c, Access, p.why)
		},
		Start: func(c *kvs.ServerConfig) (kvs.Server, error) {
			return installed.Start(installed.ConfigOf(c), p.kind())
		},
		Dial: func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
			return p.dial(ctx, c.Addr, Options{
				CPUs: c.ServerCPUs, Protocol: c.Protocol, Credentials: c.Credentials,
			})
		},
		Attach: func(c *kvs.DialConfig) (kvs.Server, error) {
			return installed.Attach(c, p.kind())
		},
		Endpoints: *p.endpoints(),
		Program:   func() (string, error) { return p.kind().Find() },
		Command: kvs.Command{
			Short:       "Run the installed " + p.program,
			Long:        "Run the installed " + p.program + installed.Help,
			Example:     "  dpukv serve " + p.name + " --server-threads 1 --cpus 0",
			Listen:      installed.Listen,
			ListenHelp:  installed.ListenHelp,
			ThreadsHelp: p.threadsHelp,
		},
	}
}
