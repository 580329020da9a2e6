package onesided

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"dpukv/kvs"
	"dpukv/kvs/herd"
)

// Store is the row in the table of stores.
var Store = kvs.Store{
	Name: Name, Title: "One-sided",
	Study: herd.Study, MaxBatch: maxInFlight, DefaultDevice: herd.DefaultDevice,
	Reads: true,
	Check: func(c *kvs.LoadConfig) error {
		return herd.CheckLoad(c, Name, "only its own worker writes to a table")
	},
	Start: func(c *kvs.ServerConfig) (kvs.Server, error) { return Start(c) },
	Dial: func(ctx context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
		return Dial(ctx, c.Addr, herd.Options{
			Device: c.Device.Name, DeviceOptions: &c.Device.Options,
		})
	},
	Command: kvs.Command{
		Short: "Run a store over RDMA whose clients READ the items by themselves",
		Long: `Run a store over RDMA whose clients READ the items by themselves: a GET takes no CPU
time of the server. Writes are HERD's requests, and so are GETs of keys of more than 16 bytes and
of the few keys that have no place in the table.

Devices: shm (clients on this machine, through memory), softroce:ADDRESS (RoCE v2 in software, on
an IPv4 address of this machine: there the server's threads answer READs), ibverbs:NAME (an RDMA
NIC). Clients connect to the TCP address --listen. The server ends on SIGTERM or Ctrl-C.

Each client can read the whole table, also items that it never asked for.`,
		Example: `  dpukv serve onesided
  dpukv serve onesided --device ibverbs:mlx5_0 --listen 10.0.0.1:7792 --items 1000000
  dpukv serve onesided --neighbourhood 4 --value-bytes 200`,
		Listen: "127.0.0.1:7792",
		ListenHelp: "TCP address at which clients get their connections; port 0: any free one; " +
			"FIRST-LAST: a free one of these",
		ThreadsHelp: "worker threads, each with one table",
		Flags:       addFlags,
	},
}

// addFlags adds the flags that only this store has.
func addFlags(flags *pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
	var own kvs.ServerConfig
	flags.IntVar(&own.KeyBytes, "key-bytes", herd.Study.KeyBytes, "size of the longest key in "+
		"bytes; one of more than 16 is never read")
	flags.IntVar(&own.ValueBytes, "value-bytes", herd.Study.ValueBytes,
		"size of the largest value in bytes")
	flags.IntVar(&own.Neighbourhood, "neighbourhood", DefaultNeighbourhood,
		"places of a key, which one READ covers")
	flags.StringVar(&own.Inline, "inline", kvs.InlineYes,
		"values of up to 32 bytes lie in the items (yes), or all behind pointers (no)")
	flags.StringVar(&own.ReadCheck, "validate", kvs.ByChecksum,
		"clients check what READs bring by a checksum, or do not (none): then a GET can return a "+
			"value that nobody wrote")
	return func(c *kvs.ServerConfig) (kvs.Server, error) {
		c.KeyBytes, c.ValueBytes, c.MaxValueBytes = own.KeyBytes, own.ValueBytes, own.ValueBytes
		c.Neighbourhood, c.Inline, c.ReadCheck = own.Neighbourhood, own.Inline, own.ReadCheck
		c.Access = herd.Study.Access
		if own.Neighbourhood == 0 {
			return nil, fmt.Errorf("--neighbourhood: found 0 places, allowed: %d to %d",
				kvs.MinNeighbourhood, kvs.MaxNeighbourhood)
		}
		return Start(c)
	}
}
