package storehalf

import (
	"fmt"

	"github.com/spf13/pflag"

	"dpukv/internal/bytesize"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/mica"
)

// These are values of the flag --half.
const (
	halfStore  = "store"
	halfEngine = "engine"
)

// startOfMemory starts a store half whose items take the memory that the flag says.
func startOfMemory(c *kvs.ServerConfig, flags *pflag.FlagSet) (kvs.Server, error) {
	c.Access = flags.Lookup("access").Value.String()
	cfg, err := mica.ConfigOf(c)
	if err != nil {
		return nil, err
	}
	var memory bytesize.Size
	if err := memory.Set(flags.Lookup("memory").Value.String()); err != nil {
		return nil, err
	}
	cfg.LogBytes = int64(memory)
	if cfg.Pages, err = offheap.ParsePages(flags.Lookup("pages").Value.String()); err != nil {
		return nil, err
	}
	return start(c, cfg)
}

// With returns MICA with its halves.
func With(s kvs.Store) kvs.Store {
	halves := *s.Halves
	halves.StartStore = Start
	s.Halves = &halves
	s.Command.Flags = addFlags(s.Command.Flags)
	return s
}

// addFlags adds the flags of both halves of a server to those that MICA has already.
func addFlags(
	others func(*pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error),
) func(*pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
	return func(flags *pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
		start := others(flags)
		storeAddr := flags.String("store", "", "with --half engine: address of the store half")
		threads := flags.Int("engine-threads", 0, "with --half: threads of the engine, a multiple "+
			"of those of the store half; both halves need it (default: as many)")
		answers := flags.String("answers", "read", "with --half store: its answers are fetched by "+
			"the engine (read), or written to it (write)")
		return func(c *kvs.ServerConfig) (kvs.Server, error) {
			c.StoreAddr, c.EngineThreads, c.Answers = *storeAddr, *threads, *answers
			half := flags.Lookup("half").Value.String()
			switch {
			case (half == halfEngine) != (*storeAddr != ""):
				return nil, fmt.Errorf("--store: found %q with --half %q, allowed: the address of "+
					"the store half, with --half %s", *storeAddr, half, halfEngine)
			case half == halfStore:
				return startOfMemory(c, flags)
			case half == halfEngine:
				return mica.StartEngine(c)
			}
			return start(c)
		}
	}
}
