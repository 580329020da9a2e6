package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpukv/client"
	"dpukv/client/load"
	"dpukv/hashbench"
	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/memcached"
	"dpukv/kvs/mica"
	"dpukv/kvs/redis"
	"dpukv/results"
	"dpukv/results/table"
	"dpukv/verbs/provider"
)

// loadFlags are a load's flags before they are understood.
type loadFlags struct {
	cfg                        client.Config
	store, dist, cpus          string
	device, protocol, arrivals string
	opts                       provider.Options // of the device
	asJSON                     bool
}

func newLoadCommand() *cobra.Command {
	f := loadFlags{opts: provider.Defaults}
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Put load on a running server and print one point",
		Long: `Put load on a running server: preload every key, verify that the store has them, warm up,
measure, and print one point. Every answer is checked. Without --rate the loop is
closed: each connection keeps --window batches in flight. With --rate operations a second are offered on
a schedule, and latency counts from when an operation was due.`,
		Example: `  dpukv load --server 127.0.0.1:7791
  dpukv load --server 127.0.0.1:7791 --threads 2 --get-ratio 0.95 --dist zipf:0.99 --duration 10s --json
  dpukv load --server 127.0.0.1:7791 --rate 1e6
  dpukv load --store herd --server 127.0.0.1:7791
  dpukv load --store memcached --server 127.0.0.1:11211`,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	w := &f.cfg.Workload
	flags.StringVar(&f.store, "store", "mica", "store that the server runs: mica, herd, memcached or redis")
	flags.StringVar(&f.cfg.ServerAddr, "server", "", "address of the server's first worker, HOST:PORT (required)")
	flags.IntVar(&f.cfg.Threads, "threads", 1, "client threads")
	flags.IntVar(&f.cfg.Connections, "connections", 1, "connections of each thread to each server worker")
	flags.IntVar(&f.cfg.Window, "window", 1, "batches in flight a connection")
	flags.IntVar(&f.cfg.Batch, "batch", mica.Study.Batch, fmt.Sprintf("operations a batch (herd: requests posted at once, default %d)", herd.Study.Batch))
	flags.Float64Var(&w.GetRatio, "get-ratio", 1, "share of GETs, 0 to 1; the rest are SETs")
	flags.IntVar(&w.Keys, "keys", 1_000_000, "different keys, all preloaded")
	flags.IntVar(&w.KeyBytes, "key-size", mica.Study.KeyBytes, fmt.Sprintf("bytes of a key, 1 to 255 (herd: default %d)", herd.Study.KeyBytes))
	flags.IntVar(&w.ValueBytes, "value-size", mica.Study.ValueBytes, fmt.Sprintf("bytes of a value, 0 to 65535 (herd: default %d)", herd.Study.ValueBytes))
	flags.StringVar(&f.dist, "dist", "uniform", "how keys are chosen: uniform or zipf:THETA with 0 <= THETA < 1")
	flags.Float64Var(&f.cfg.RateOps, "rate", 0, "operations a second to offer, over all threads; 0: closed loop")
	flags.StringVar(&f.arrivals, "arrivals", "constant", "with --rate: how batches follow one another: constant (equal distances) or poisson (independently)")
	flags.DurationVar(&f.cfg.Duration, "duration", 5*time.Second, "of the measured window")
	flags.DurationVar(&f.cfg.Warmup, "warmup", 500*time.Millisecond, "load before the measured window")
	flags.Uint64Var(&w.Seed, "seed", 1, "of the sequence of operations")
	flags.StringVar(&f.cfg.Hash, "hash", "", "hash function for keys, or none (default: what the server wants; memcached and redis want none)")
	flags.BoolVar(&f.cfg.CheckHash, "check-hash", false, "after the load, find the share of hashing once more, with hashing done beforehand (0.8 s)")
	flags.StringVar(&f.cpus, "cpus", "", `CPUs that threads are pinned to in turn, with all else of this process, such as 0,2-3, or "none" (default: those this process may use, descending, as servers ascend)`)
	flags.StringVar(&f.device, "device", "", "herd: device that reaches the server: "+provider.Names+" (default: the server's kind of device)")
	flags.IntVar(&f.opts.GIDIndex, "gid-index", f.opts.GIDIndex, "herd: index into the port's GID table; -1: its RoCE v2 IPv4 GID")
	flags.IntVar(&f.opts.MTU, "mtu", 0, "herd: path MTU in bytes, 256 to 4096, the server's (default: the port's)")
	flags.StringVar(&f.protocol, "protocol", "", "memcached: meta or binary (default: meta where the server has it); redis: get, or mget for each row of GETs in a batch (default get)")
	flags.DurationVar(&f.cfg.Timeout, "timeout", client.DefaultTimeout, "an answer that is out longer fails the run")
	flags.BoolVar(&f.asJSON, "json", false, "print the point as one JSON object")
	return cmd
}

func (f *loadFlags) run(cmd *cobra.Command) error {
	if err := f.understand(cmd.Flags().Changed); err != nil {
		return usagef("load: %w", err)
	}
	var err error
	if f.cfg.CPUs, err = settle(f.cfg.CPUs, f.cfg.Threads); err != nil {
		return usagef("load: --cpus: %w", err)
	}
	remote, err := f.dial(cmd.Context())
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer remote.Close()
	f.chooseHash(remote.Facts())
	result, err := client.Run(cmd.Context(), remote, f.cfg)
	if result == nil {
		return usagef("%w", err)
	}
	result.Point.ID = "load"
	result.Point.Placement = "attached" // nobody here placed the server
	result.Point.Submode = "unknown"
	result.Point.ClientVersion = version
	result.Point.Repeat = 1
	return errors.Join(err, f.print(cmd, &result.Point))
}

// understand turns texts into what they mean.
func (f *loadFlags) understand(given func(flag string) bool) (err error) {
	switch {
	case f.store == "herd":
		f.asStudied(given, &herd.Study)
	case f.store != "mica" && f.store != "memcached" && f.store != "redis":
		return fmt.Errorf("--store %q: allowed: mica, herd, memcached, redis", f.store)
	case f.device != "" || given("gid-index") || given("mtu"):
		return fmt.Errorf("--device, --gid-index, --mtu: %s is served over TCP; only herd has devices", f.store)
	}
	if err := f.protocolFits(); err != nil {
		return err
	}
	if f.cfg.Timeout == 0 { // below, it means the default
		return errors.New("--timeout 0s: want more than 0: an answer that never comes would be waited for")
	}
	if f.cfg.ServerAddr == "" {
		return errors.New(`--server is required: the "addr" that dpukv serve printed`)
	}
	f.cfg.SameHost = machine.Owns(f.cfg.ServerAddr)
	if f.cfg.Workload.Dist, err = load.ParseDist(f.dist); err != nil {
		return fmt.Errorf("--dist: %w", err)
	}
	if f.cfg.Arrivals, err = load.ParseArrivals(f.arrivals); err != nil {
		return fmt.Errorf("--arrivals: %w", err)
	}
	if f.cfg.Hash != "" && f.cfg.Hash != kvs.NoHash {
		if _, err := hashbench.Lookup(f.cfg.Hash); err != nil {
			return fmt.Errorf("--hash: %w", err)
		}
	}
	if f.cfg.CPUs, err = parseCPUs(f.cpus); err != nil {
		return err
	}
	if f.cpus == "" {
		reverse(f.cfg.CPUs)
	}
	return nil
}

// asStudied gives what was not asked for the values of a store's own study. The flags' defaults are those of MICA.
func (f *loadFlags) asStudied(given func(flag string) bool, k *kvs.StudyDefaults) {
	for name, own := range map[string]struct {
		value *int
		study int
	}{
		"batch":      {&f.cfg.Batch, k.Batch},
		"key-size":   {&f.cfg.Workload.KeyBytes, k.KeyBytes},
		"value-size": {&f.cfg.Workload.ValueBytes, k.ValueBytes},
	} {
		if !given(name) {
			*own.value = own.study
		}
	}
}

// protocolFits refuses ways to speak that the store does not have.
func (f *loadFlags) protocolFits() error {
	known := map[string][]string{"memcached": memcached.Protocols, "redis": redis.Protocols}[f.store]
	switch {
	case f.protocol == "" || slices.Contains(known, f.protocol):
		return nil
	case known == nil:
		return fmt.Errorf("--protocol: %s has one protocol; only memcached and redis have several", f.store)
	}
	return fmt.Errorf("--protocol %q: allowed: %s", f.protocol, strings.Join(known, ", "))
}

func (f *loadFlags) dial(ctx context.Context) (kvs.Remote, error) {
	switch f.store {
	case "herd":
		return herd.Dial(ctx, f.cfg.ServerAddr, herd.Options{Device: f.device, DeviceOptions: &f.opts})
	case "memcached":
		return memcached.Dial(ctx, f.cfg.ServerAddr, memcached.Options{Protocol: f.protocol})
	case "redis":
		return redis.Dial(ctx, f.cfg.ServerAddr, redis.Options{Protocol: f.protocol})
	}
	return mica.Dial(ctx, f.cfg.ServerAddr)
}

// chooseHash takes the hash function that the server wants if none was given.
func (f *loadFlags) chooseHash(facts kvs.Facts) {
	f.cfg.Hash = cmp.Or(f.cfg.Hash, facts.Hash, kvs.NoHash)
}

func (f *loadFlags) print(cmd *cobra.Command, p *results.Point) error {
	if f.asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(p)
	}
	return table.WritePoint(cmd.OutOrStdout(), p)
}

func reverse(list []int) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}
