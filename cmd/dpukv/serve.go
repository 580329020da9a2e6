package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/client"
	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
)

func newServeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve STORE",
		Short: "Run a store's server",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("serve: which store? Allowed: mica, herd, memcached, redis")
			}
			return usagef("serve: store %q: allowed: mica, herd, memcached, redis", args[0])
		},
	}
	cmd.AddCommand(newServeMICACommand(), newServeHERDCommand(), newServeMemcachedCommand(), newServeRedisCommand())
	return cmd
}

// serveFlags are a server's flags before they are understood.
type serveFlags struct {
	cfg                       mica.Config
	mode, access, pages, cpus string
	memory, buffers           byteSize
	asJSON                    bool
}

func newServeMICACommand() *cobra.Command {
	f := serveFlags{memory: 256 << 20}
	cmd := &cobra.Command{
		Use:   "mica",
		Short: "Run MICA, an in-memory store over TCP",
		Long: `Run MICA: worker threads, each with its own partitions, its own port and its own CPU.

The index is sized for --items; --memory is the room for the items themselves (a key of 8 bytes
with a value of 8 takes 32). Mode cache overwrites the oldest; mode store
loses nothing and answers "full". The server ends on SIGTERM or Ctrl-C.

Half of --buffers is split among --max-connections, so that what one client sends or leaves unread
never takes another's share. The other half is common: frames that need more than a share come from
there. A connection is refused, or ended, with the reason.` + trustHelp,
		Example: `  dpukv serve mica
  dpukv serve mica --listen 127.0.0.1:7791 --threads 4 --cpus 0-3 --items 10000000 --memory 1GiB --mode store`,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := f.config()
			if err != nil {
				return usagef("serve mica: %w", err)
			}
			return serveMICA(cmd, cfg, f.asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.cfg.Listen, "listen", "127.0.0.1:7791", "address of the first worker; worker i listens i ports further, or on any free port with port 0")
	flags.IntVar(&f.cfg.Workers, "threads", 1, "worker threads")
	flags.IntVar(&f.cfg.PartitionsPerWorker, "partitions", 1, "partitions that each worker owns")
	flags.StringVar(&f.mode, "mode", "cache", "what happens without room: cache (the oldest is overwritten) or store (nothing is lost, the answer is full)")
	flags.StringVar(&f.access, "access", "erew", "who reads a partition: erew (its worker) or crew (any worker)")
	flags.IntVar(&f.cfg.Items, "items", 4_000_000, "items that the index is sized for")
	flags.Var(&f.memory, "memory", "room for the items, such as 256MiB or 4GiB")
	flags.IntVar(&f.cfg.MaxConnections, "max-connections", 0, fmt.Sprintf("connections at once, over all threads (default: three quarters of the files that ulimit -n allows, at most %d)", mica.DefaultMaxConnections))
	flags.Var(&f.buffers, "buffers", "memory for connections' buffers, such as 256MiB (default: 256MiB, or as much of it as there is room for)")
	flags.StringVar(&f.pages, "pages", "auto", "memory pages: auto, hugetlb, thp, 4k")
	flags.StringVar(&f.cfg.Hash, "hash", hashbench.Default, "hash function that clients must use for keys")
	flags.StringVar(&f.cpus, "cpus", "", `CPUs that workers are pinned to in turn, with all else of this process, such as 0,2-3, or "none" (default: those this process may use, ascending)`)
	flags.BoolVar(&f.asJSON, "json", false, `print the facts as JSON, with "addr", once the server accepts load`)
	return cmd
}

func (f *serveFlags) config() (mica.Config, error) {
	cfg := f.cfg
	cfg.LogBytes, cfg.BufferBytes, cfg.Version = int64(f.memory), int64(f.buffers), version
	var err error
	if cfg.Mode, err = partition.ParseMode(f.mode); err != nil {
		return cfg, err
	}
	if cfg.Access, err = partition.ParseAccess(f.access); err != nil {
		return cfg, err
	}
	if cfg.Pages, err = offheap.ParsePages(f.pages); err != nil {
		return cfg, err
	}
	if _, err := hashbench.Lookup(cfg.Hash); err != nil {
		return cfg, err
	}
	if cfg.CPUs, err = parseCPUs(f.cpus); err != nil {
		return cfg, err
	}
	return cfg, nil
}

// parseCPUs reads a --cpus flag. Nothing given means all that this process may use.
func parseCPUs(s string) ([]int, error) {
	switch s {
	case "":
		return cpu.Allowed()
	case "none":
		return nil, nil
	}
	cpus, err := cpu.ParseList(s)
	if err == nil {
		err = cpu.MayUse(cpus)
	}
	if err != nil {
		return nil, fmt.Errorf("--cpus: %w", err)
	}
	return cpus, nil
}

// settle keeps this process on those CPUs that its threads will be pinned to in turn, as a sweep does, and returns them.
func settle(cpus []int, threads int) ([]int, error) {
	threads = min(max(threads, 1), client.MaxThreads) // others are refused by who starts them
	cpus = cpus[:min(threads, len(cpus))]
	return cpus, cpu.Prepare(cpus, threads)
}

// serving is the line that --json prints.
type serving struct {
	Addr string `json:"addr"`
	kvs.Facts
}

func serveMICA(cmd *cobra.Command, cfg mica.Config, asJSON bool) error {
	var err error
	if cfg.CPUs, err = settle(cfg.CPUs, cfg.Workers); err != nil {
		return usagef("serve mica: --cpus: %w", err)
	}
	s, err := mica.Start(cfg)
	if err != nil {
		return usagef("serve mica: %w", err)
	}
	limitHeap(s.Facts().MaxClientBytes)
	return runServer(cmd, s, asJSON)
}

// limitHeap keeps Go's heap near what connections may take. Without a limit the collector
// lets it grow to twice that before it frees anything.
func limitHeap(connections int64) {
	const rest = 32 << 20 // what else a server has on its heap, and room for the collector
	debug.SetMemoryLimit(connections + connections/8 + rest)
}

// storeServer is a running server of any store.
type storeServer interface {
	Addr() string
	Facts() kvs.Facts
	Wait() error
	Close() error
}

// runServer announces a server and runs it until the command ends, or the server itself.
func runServer(cmd *cobra.Command, s storeServer, asJSON bool) error {
	err := errors.Join(
		warnBeyondLoopback(cmd.ErrOrStderr(), s.Addr()),
		announce(cmd, serving{s.Addr(), s.Facts()}, asJSON))
	if err != nil {
		_ = s.Close() // the process ends
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	select {
	case <-cmd.Context().Done():
		return s.Close()
	case err := <-ended:
		return fmt.Errorf("serve %s: %w", s.Facts().Store, err)
	}
}

func announce(cmd *cobra.Command, s serving, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(s)
	}
	if s.Command != nil { // another program
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s on %s over %s: %d threads %s, mode %s: %s\n",
			s.Store, s.Version, s.Addr, s.Transport, s.Workers, pinnedTo(s.CPUs), s.Mode, strings.Join(s.Command, " "))
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s on %s over %s: %d workers %s, %d partitions, mode %s, access %s, %d items, %s of log, pages %s\n",
		strings.ToUpper(s.Store), s.Addr, strings.Trim(s.Transport+" "+s.Provider, " "), s.Workers, pinnedTo(s.CPUs), s.Partitions, s.Mode, s.Access, s.Items, byteSize(s.LogBytes), s.Pages)
	return err
}

// pinnedTo says where a server's threads are.
func pinnedTo(cpus []int) string {
	if len(cpus) == 0 {
		return "not pinned"
	}
	return fmt.Sprintf("on CPUs %v", cpus)
}
