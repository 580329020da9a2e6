package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dpukv/kvs"
	"dpukv/kvs/memcached"
	"dpukv/kvs/mica"
	"dpukv/kvs/redis"
)

// installedFlags are those of a server that is another program.
type installedFlags struct {
	cfg    memcached.Config // the same for all of them
	cpus   string
	asJSON bool
}

func newServeMemcachedCommand() *cobra.Command {
	return newServeInstalledCommand("memcached", "Run the installed memcached",
		"threads (-t); any of them serves any key",
		func(cfg memcached.Config) (storeServer, error) { return memcached.Start(cfg) })
}

func newServeRedisCommand() *cobra.Command {
	return newServeInstalledCommand("redis", "Run the installed redis-server",
		"1, or io-threads, which move bytes for the one thread that executes commands",
		func(cfg memcached.Config) (storeServer, error) { return redis.Start(cfg) })
}

func newServeInstalledCommand(store, short, threads string, start func(memcached.Config) (storeServer, error)) *cobra.Command {
	var f installedFlags
	cmd := &cobra.Command{
		Use:   store,
		Short: short,
		Long: short + `, on one address only, pinned, with memory for --items, and nothing kept on disk. It is
used once it answers, and ends with this command: on SIGTERM or Ctrl-C, and also when this command is killed.` + trustHelp,
		Example: "  dpukv serve " + store + " --threads 1 --cpus 0",
		Args:    exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := f.check(); err != nil {
				return usagef("serve %s: %w", store, err)
			}
			if f.cfg.CPUs, err = parseCPUs(f.cpus); err != nil {
				return usagef("serve %s: %w", store, err)
			}
			s, err := start(f.cfg)
			if err != nil {
				return usagef("serve %s: %w", store, err)
			}
			return runServer(cmd, s, f.asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.cfg.Listen, "listen", "127.0.0.1:0", "IP:PORT; port 0: any free one")
	flags.IntVar(&f.cfg.Workers, "threads", 1, threads)
	flags.StringVar(&f.cfg.Mode, "mode", "cache", "what happens without room: cache (the server evicts) or store (nothing is lost, it refuses)")
	flags.IntVar(&f.cfg.Items, "items", 4_000_000, "items that there is to be memory for")
	flags.IntVar(&f.cfg.KeyBytes, "key-size", mica.Study.KeyBytes, "bytes of their keys")
	flags.IntVar(&f.cfg.ValueBytes, "value-size", mica.Study.ValueBytes, fmt.Sprintf("bytes of their values; what %s needs beside them is added", store))
	flags.StringVar(&f.cpus, "cpus", "", `CPUs that the server may use, such as 0,2-3, or "none" (default: those this process may use)`)
	flags.BoolVar(&f.asJSON, "json", false, `print the facts as JSON, with "addr", once the server accepts load`)
	return cmd
}

// check refuses sizes from which no room can be worked out.
func (f *installedFlags) check() error {
	if n := f.cfg.KeyBytes; n < 1 || n > kvs.MaxKeyBytes {
		return fmt.Errorf("--key-size %d: want 1 to %d", n, kvs.MaxKeyBytes)
	}
	if n := f.cfg.ValueBytes; n < 0 || n > kvs.MaxValueBytes {
		return fmt.Errorf("--value-size %d: want 0 to %d", n, kvs.MaxValueBytes)
	}
	return nil
}
