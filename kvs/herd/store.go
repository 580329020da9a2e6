package herd

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"dpukv/internal/numfmt"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// Study has the settings of HERD in the study of BlueField DPUs (ICS '25, §4).
var Study = kvs.StudyDefaults{
	KeyBytes: 16, ValueBytes: 32, Batch: 32, Hash: DefaultHash, Access: "erew",
}

// Store is HERD's row in the table of stores.
var Store = kvs.Store{
	Name: "herd", Title: "HERD",
	Study: Study, MaxBatch: DefaultWindow, DefaultDevice: DefaultDevice,
	Check: func(c *kvs.LoadConfig) error {
		return CheckLoad(c, "herd", "only its own worker reads a partition")
	},
	Start: startSized,
	Dial: func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
		return Dial(ctx, c.Addr,
			Options{Device: c.Device.Name, DeviceOptions: &c.Device.Options})
	},
	Command: kvs.Command{
		Short: "Run HERD, an in-memory store over RDMA",
		Long: `Run HERD: clients write requests into slots of the server's memory (UC WRITE). Worker threads poll
the slots, each on its own CPU and with its own partition. They send the answers (UD SEND).

Devices: shm (clients on this machine, through memory), softroce:ADDRESS (RoCE v2 in software, on
an IPv4 address of this machine), ibverbs:NAME (an RDMA NIC). Clients connect to the TCP address
--listen, and get their slots there. A worker polls, so its CPU is busy during a load. The server
ends on SIGTERM or Ctrl-C.

Through --device, other machines that reach a softroce address, or the NIC, can send requests too.`,
		Example: `  dpukv serve herd
  dpukv serve herd --device softroce:10.0.0.1 --listen 10.0.0.1:7791 --server-threads 4 --cpus 0-3
  dpukv serve herd --device ibverbs:mlx5_0 --listen 10.0.0.1:7791 --slot-bytes 1024`,
		Listen: "127.0.0.1:7791",
		ListenHelp: "TCP address at which clients get their slots; port 0: any free one; " +
			"FIRST-LAST: a free one of these",
		ThreadsHelp: "worker threads, each with one partition",
		Flags:       addFlags,
	},
}

// CheckLoad refuses loads that HERD's slots do not support. It refuses access modes but the one of
// a store, with the reason.
func CheckLoad(c *kvs.LoadConfig, store, why string) error {
	switch need := SlotBytesFor(c.KeyBytes, c.MaxValueBytes); {
	case c.Batch*c.Window > DefaultWindow:
		return fmt.Errorf("window: found %d batches of %d, allowed with %s: together at most %d "+
			"requests in flight", c.Window, c.Batch, store, DefaultWindow)
	case need > MaxSlotBytes:
		return fmt.Errorf("value_bytes: found %d with keys of %d, allowed: a sum that fits a "+
			"slot of %d bytes of %s", c.MaxValueBytes, c.KeyBytes, MaxSlotBytes, store)
	case c.Access != partition.EREW.String():
		return fmt.Errorf("access: found %s, allowed: %s; %s of %s", c.Access, partition.EREW, why,
			store)
	}
	return nil
}

// configOf translates a configuration's words. The caller sets the log and the slots.
func configOf(c *kvs.ServerConfig) (cfg Config, err error) {
	cfg = Config{
		Listen: c.Listen, Workers: c.Workers,
		Device: c.Device.Name, DeviceOptions: &c.Device.Options,
		Items: c.Items, Pages: offheap.Auto, Hash: c.Hash, CPUs: c.CPUs, Version: c.Version,
	}
	cfg.Mode, err = partition.ParseMode(c.Mode)
	return cfg, err
}

// startSized starts a server whose log and slots hold the configured items.
func startSized(c *kvs.ServerConfig) (kvs.Server, error) {
	cfg, err := configOf(c)
	if err != nil {
		return nil, err
	}
	cfg.LogBytes = partition.LogBytesOf(c, cfg.Mode)
	cfg.SlotBytes = SlotBytesFor(c.LongestKey(), c.MaxValueBytes)
	return Start(cfg)
}

// addFlags adds the flags that only HERD has.
func addFlags(flags *pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
	var own Config
	var pages string
	memory := numfmt.Size(512 << 20)
	flags.Var(&memory, "memory", "room for the items, such as 256MiB or 4GiB; a key of 16 bytes "+
		"with a value of 32 takes 64")
	flags.StringVar(&pages, "pages", "auto", "memory pages: "+offheap.PagesHelp)
	flags.IntVar(&own.Window, "window", DefaultWindow,
		"requests in flight on a connection at one worker")
	flags.IntVar(&own.SlotBytes, "slot-bytes", MinSlotBytes,
		"size of a slot in bytes: 16 for the request, the rest for key and value")
	flags.IntVar(&own.MaxClients, "max-clients", DefaultMaxClients,
		"connections that may have slots")
	flags.IntVar(&own.MaxConnections, "max-connections", 0,
		"connections in all, with those that only ask for counters (default: four for each of "+
			"--max-clients, at most as ulimit -n allows)")
	flags.BoolVar(&own.Faithful, "faithful", false,
		"poll as the original does, one slot of each client in a pass")

	return func(c *kvs.ServerConfig) (kvs.Server, error) {
		if err := refuseZeros(&own); err != nil {
			return nil, err
		}
		cfg, err := configOf(c)
		if err != nil {
			return nil, err
		}
		if cfg.Pages, err = offheap.ParsePages(pages); err != nil {
			return nil, err
		}
		cfg.LogBytes, cfg.Window, cfg.SlotBytes = int64(memory), own.Window, own.SlotBytes
		cfg.MaxClients, cfg.MaxConnections = own.MaxClients, own.MaxConnections
		cfg.Faithful = own.Faithful
		return Start(cfg)
	}
}

// refuseZeros refuses flags of 0, which would mean the default in a [Config].
func refuseZeros(c *Config) error {
	for _, f := range []struct {
		flag  string
		value int
	}{{"window", c.Window}, {"max-clients", c.MaxClients}, {"slot-bytes", c.SlotBytes}} {
		if f.value == 0 {
			return fmt.Errorf("--%s: found 0, allowed: 1 or more; leave --%s out for the "+
				"default", f.flag,
				f.flag)
		}
	}
	return nil
}
