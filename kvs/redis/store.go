package redis

import (
	"context"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/installed"
)

// passwordVariable is that of redis-cli.
const passwordVariable = "REDISCLI_AUTH"

var endpoints = kvs.EndpointRules{
	Scheme: name, Databases: true, PasswordVariable: passwordVariable,
}

// Store is Redis's row in the table of stores.
var Store = kvs.Store{
	Name: name, Title: "Redis",
	Study: Study, MaxBatch: MaxBatch, TTLUnit: time.Millisecond,
	Protocols:    Protocols,
	ProtocolHelp: "get, or one mget for consecutive GETs of a batch (default get)",
	Check: func(c *kvs.LoadConfig) error {
		return installed.CheckAccess(c, Access, "one thread of redis executes all commands")
	},
	Start: func(c *kvs.ServerConfig) (kvs.Server, error) { return Start(installed.ConfigOf(c)) },
	Dial: func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
		return Dial(ctx, c.Addr, Options{
			CPUs: c.ServerCPUs, Protocol: c.Protocol, Credentials: c.Credentials,
		})
	},
	Attach:    func(c *kvs.DialConfig) (kvs.Server, error) { return Attach(c) },
	Endpoints: endpoints,
	Program:   Installed,
	Command: kvs.Command{
		Short:      "Run the installed redis-server",
		Long:       "Run the installed redis-server" + installed.Help,
		Example:    "  dpukv serve redis --server-threads 1 --cpus 0",
		Listen:     installed.Listen,
		ListenHelp: installed.ListenHelp,
		ThreadsHelp: "1, or the number of io-threads, which move bytes for the one thread that " +
			"executes commands",
	},
}
