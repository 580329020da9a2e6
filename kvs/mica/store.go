package mica

import (
	"context"
	"fmt"

	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/mica/proxy"
	"dpukv/kvs/partition"
)

// Study has the settings of MICA in the study of BlueField DPUs (ICS '25, §4).
var Study = kvs.StudyDefaults{KeyBytes: 8, ValueBytes: 8, Batch: 64, Hash: "city64", Access: "erew"}

// Store is MICA's row in the table of stores, without a store half and its own flags: package
// storehalf adds them.
var Store = kvs.Store{
	Name: "mica", Title: "MICA",
	Study: Study, MaxBatch: MaxBatch, Waits: kvs.Waits{Server: true, Clients: true},
	Check: checkLoad,
	Start: startSized,
	Ports: func(workers int) int { return workers },
	Dial: func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
		if c.Proxy != "" {
			return dialProxied(ctx, c)
		}
		return Dial(ctx, c.Addr)
	},
	Halves: &kvs.Halves{
		StartEngine: StartEngine, StartProxy: startProxy, DefaultDevice: proxy.DefaultDevice,
	},
	Command: kvs.Command{
		Short: "Run MICA, an in-memory store over TCP",
		Long: `Run MICA: worker threads, each with its own partitions, its own port and its own CPU.

The index has the size for --items. The items themselves take --memory: a key of 8 bytes with a
value of 8 takes 32. Mode cache overwrites the oldest item. Mode store loses nothing and answers
"full". The server ends on SIGTERM or Ctrl-C.

Half of --buffers is split among --max-connections. So a client that sends much or reads nothing
never takes the share of another. The other half is common, for frames that need more than a share.
A connection that gets no buffer is refused, or ended, with the reason.

With --half proxy the process is the network half of clients instead, with --server-threads threads.
It carries requests between "dpukv load --proxy" and the server at --server. It connects to any port
of that host that a client names, and to no other host.`,
		Example: `  dpukv serve mica
  dpukv serve mica --listen 127.0.0.1:7791 --server-threads 4 --cpus 0-3 --items 10000000 ` +
			`--memory 1GiB --mode store
  dpukv serve mica --half proxy --server 127.0.0.1:7791 --listen 127.0.0.1:7790`,
		Listen: "127.0.0.1:7791",
		ListenHelp: "address of the first worker; worker i listens i ports further. With port 0 " +
			"each listens on any free port, with FIRST-LAST on a free one of these. With --half " +
			"store or proxy: address that the other half joins",
		ThreadsHelp: "worker threads",
	},
}

// checkLoad refuses loads that MICA's partitions do not support.
func checkLoad(c *kvs.LoadConfig) error {
	if _, err := partition.ParseAccess(c.Access); err != nil {
		return fmt.Errorf("access: %w", err)
	}
	return checkFrame(c.Batch, c.KeyBytes, c.MaxValueBytes, MaxFrameBytes)
}

// ConfigOf translates a configuration's words. The caller sets the log and the number of
// partitions.
func ConfigOf(c *kvs.ServerConfig) (cfg Config, err error) {
	cfg = Config{
		Listen: c.Listen, Workers: c.Workers, PartitionsPerWorker: 1,
		Items: c.Items, Pages: offheap.Auto, Hash: c.Hash, CPUs: c.CPUs, Version: c.Version,
	}
	if cfg.Mode, err = partition.ParseMode(c.Mode); err != nil {
		return cfg, err
	}
	if cfg.Poll, err = kvs.Polls(c.ServerWait); err != nil {
		return cfg, fmt.Errorf("server_%w", err)
	}
	cfg.Access, err = partition.ParseAccess(c.Access)
	return cfg, err
}

// startSized starts a server whose log holds the configured items.
func startSized(c *kvs.ServerConfig) (kvs.Server, error) {
	cfg, err := ConfigOf(c)
	if err != nil {
		return nil, err
	}
	cfg.LogBytes = partition.LogBytesOf(c, cfg.Mode)
	return Start(cfg)
}
