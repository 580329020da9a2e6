package storehalf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"dpukv/internal/numfmt"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
	"dpukv/verbs/idle"
)

// With returns MICA with its store half, and with the flags of all its parts.
func With(s kvs.Store) kvs.Store {
	halves := *s.Halves
	halves.StartStore = Start
	s.Halves = &halves
	s.Command.Flags = addFlags
	return s
}

// whole is the value of --half for a server that is not split.
const whole = ""

// parts are the values of --half.
var parts = []string{kvs.PartStore, kvs.PartEngine, kvs.PartProxy}

// usedBy has the flags that not every part uses. The others would have no effect.
var usedBy = map[string][]string{
	"items": {whole, kvs.PartStore}, "memory": {whole, kvs.PartStore},
	"pages": {whole, kvs.PartStore}, "mode": {whole, kvs.PartStore},
	"hash": {whole, kvs.PartStore}, "access": {whole, kvs.PartStore}, "partitions": {whole},
	"max-connections": {whole, kvs.PartEngine}, "buffers": {whole, kvs.PartEngine},
	"engine-threads": {kvs.PartStore, kvs.PartEngine}, "answers": {kvs.PartStore},
	"wait": parts, "server-wait": {whole},
	"store": {kvs.PartEngine}, "server": {kvs.PartProxy},
	"device": parts, "gid-index": parts, "mtu": parts,
}

// flags are the values of the flags that only MICA has.
type flags struct {
	half, server, store, answers, wait string
	serverWait                         string
	engineThreads                      int
	partitions, maxConnections         int
	access, pages                      string
	memory, buffers                    numfmt.Size
}

// addFlags adds them.
func addFlags(set *pflag.FlagSet) func(*kvs.ServerConfig) (kvs.Server, error) {
	f := flags{memory: 256 << 20}
	set.IntVar(&f.partitions, "partitions", 1, "partitions that each worker owns")
	set.StringVar(&f.access, "access", partition.EREW.String(),
		"readers of a partition: erew (its worker) or crew (any worker)")
	set.Var(&f.memory, "memory", "room for the items, such as 256MiB or 4GiB")
	set.IntVar(&f.maxConnections, "max-connections", 0,
		fmt.Sprintf("connections at once, over all threads (default: three quarters of the files "+
			"that ulimit -n allows, at most %d)", mica.DefaultMaxConnections))
	set.Var(&f.buffers, "buffers", "memory for the buffers of connections, such as 256MiB "+
		"(default: 256MiB, or less if there is less room)")
	set.StringVar(&f.serverWait, "server-wait", kvs.WaitSleep, "how the workers wait for "+
		"requests: they sleep, or they poll, which takes all time of their CPUs (poll)")
	set.StringVar(&f.pages, "pages", "auto", "memory pages: "+offheap.PagesHelp)
	f.addHalves(set)
	return func(c *kvs.ServerConfig) (kvs.Server, error) {
		if err := f.check(set); err != nil {
			return nil, err
		}
		return f.start(c)
	}
}

func (f *flags) addHalves(set *pflag.FlagSet) {
	set.StringVar(&f.half, "half", whole, "part of the store that runs here: store (the items, "+
		"without a network), engine (the network, without items), or proxy (the network half of "+
		"clients; default: the whole server)")
	set.StringVar(&f.server, "server", "", "with --half proxy: address of the server, or its host")
	set.StringVar(&f.store, "store", "", "with --half engine: address of the store half")
	set.IntVar(&f.engineThreads, "engine-threads", 0, "with --half store or engine: threads of "+
		"the engine, a multiple of those of the store half; both halves need it (default: as many)")
	set.StringVar(&f.answers, "answers", "read", "with --half store: its answers are fetched by "+
		"the engine (read), or written to it (write)")
	set.StringVar(&f.wait, "wait", string(idle.Poll), "with --half: threads without work poll "+
		"(poll), or sleep for 50 to 100 µs at a time (nap)")
}

// check refuses flags that would have no effect, and the lack of one that is needed.
func (f *flags) check(set *pflag.FlagSet) (err error) {
	if f.half != whole && !slices.Contains(parts, f.half) {
		return fmt.Errorf("--half: found %q, allowed: %s; leave --half out for the whole server",
			f.half, strings.Join(parts, ", "))
	}
	set.Visit(func(flag *pflag.Flag) {
		users, some := usedBy[flag.Name]
		if err == nil && some && !slices.Contains(users, f.half) {
			err = fmt.Errorf("--%s: found %s, allowed: %s", flag.Name, called(f.half),
				strings.Join(allCalled(users), ", or "))
		}
	})
	if err == nil && f.half == kvs.PartEngine && f.store == "" {
		err = fmt.Errorf("--store: found none with --half %s, allowed: the address of the store "+
			"half", f.half)
	}
	return err
}

// called names a part by its flag.
func called(part string) string {
	if part == whole {
		return "without --half"
	}
	return "with --half " + part
}

func allCalled(all []string) (names []string) {
	for _, part := range all {
		names = append(names, called(part))
	}
	return names
}

// start starts the part.
func (f *flags) start(c *kvs.ServerConfig) (kvs.Server, error) {
	half := &kvs.HalfConfig{ServerConfig: *c, StoreAddr: f.store}
	half.EngineThreads, half.Answers, half.Wait = f.engineThreads, f.answers, f.wait
	switch f.half {
	case kvs.PartProxy:
		return mica.Store.Halves.StartProxy(&kvs.ProxyConfig{
			Listen: c.Listen, Server: f.server, Threads: c.Workers, CPUs: c.CPUs,
			Device: c.Device, Wait: f.wait, Version: c.Version,
		})
	case kvs.PartEngine:
		return mica.StartEngineOf(half, mica.Config{
			MaxConnections: f.maxConnections, BufferBytes: int64(f.buffers),
		})
	}
	half.Access, half.ServerWait = f.access, f.serverWait
	cfg, err := mica.ConfigOf(&half.ServerConfig)
	if err != nil {
		return nil, err
	}
	if cfg.Pages, err = offheap.ParsePages(f.pages); err != nil {
		return nil, err
	}
	cfg.LogBytes = int64(f.memory)
	if f.half == kvs.PartStore {
		return start(half, cfg)
	}
	cfg.PartitionsPerWorker = f.partitions
	cfg.MaxConnections, cfg.BufferBytes = f.maxConnections, int64(f.buffers)
	return mica.Start(cfg)
}
