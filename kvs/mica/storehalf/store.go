package storehalf

import (
	"fmt"

	"github.com/spf13/pflag"

	"dpukv/internal/bytesize"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/verbs/provider"
)

// These are the values of the flag --half.
const (
	wholeServer = "none"
	halfStore   = "store"
	halfEngine  = "engine"
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

// addFlags adds the flags of halves to those of a whole server.
func addFlags(
	whole func(*pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error),
) func(*pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
	return func(flags *pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
		start := whole(flags)
		var half, device, answers, storeAddr string
		var threads int
		var options provider.Options
		flags.StringVar(&half, "half", wholeServer, "part of the server: store (the items, without "+
			"a network), engine (the network, without items), or none: the whole server")
		flags.StringVar(&device, "device", DefaultDevice, "verbs device that joins the halves: "+
			provider.Names)
		flags.IntVar(&options.GIDIndex, "gid-index", provider.Defaults.GIDIndex,
			"index of the GID, for ibverbs; -1: RoCE v2 over IPv4")
		flags.StringVar(&storeAddr, "store", "", "address of the store half, for an engine")
		flags.IntVar(&threads, "engine-threads", 0, "threads of the engine, a multiple of those of "+
			"the store half; both halves need it (default: as many)")
		flags.StringVar(&answers, "answers", "read", "how the store half's answers leave: read (the "+
			"engine fetches them) or write (the workers write them to the engine)")
		return func(c *kvs.ServerConfig) (kvs.Server, error) {
			c.Device = kvs.Device{Name: device, GIDIndex: options.GIDIndex}
			c.StoreAddr, c.EngineThreads, c.Answers = storeAddr, threads, answers
			switch {
			case half != halfEngine && storeAddr != "":
				return nil, fmt.Errorf("--store: found it with --half %s, allowed: with --half %s",
					half, halfEngine)
			case half == wholeServer:
				return start(c)
			case half == halfStore:
				return startOfMemory(c, flags)
			case half == halfEngine && storeAddr == "":
				return nil, fmt.Errorf("--half %s: found no --store, allowed: the address of the "+
					"store half", halfEngine)
			case half == halfEngine:
				return mica.StartEngine(c)
			}
			return nil, fmt.Errorf("--half: found %q, allowed: %s, %s, %s", half, halfStore,
				halfEngine, wholeServer)
		}
	}
}
