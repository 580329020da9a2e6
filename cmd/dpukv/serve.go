package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpukv/client"
	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/internal/numfmt"
	"dpukv/internal/tcpinfo"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

func newServeCommand() *cobra.Command {
	allowed := strings.Join(stores.Names(), ", ")
	cmd := &cobra.Command{
		Use:   "serve STORE",
		Short: "Run the server of a store",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("serve: found no store, allowed: %s", allowed)
			}
			_, err := stores.Named(args[0])
			return usagef("serve: %w", err)
		},
	}
	for _, st := range stores.All() {
		cmd.AddCommand(newServeStoreCommand(&st))
	}
	return cmd
}

// serveFlags are a server's flags before parsing.
type serveFlags struct {
	store  *kvs.Store
	cfg    kvs.ServerConfig
	start  func(*kvs.ServerConfig) (kvs.Server, error)
	cpus   string
	asJSON bool
}

func newServeStoreCommand(st *kvs.Store) *cobra.Command {
	f := serveFlags{store: st, start: st.Start}
	cmd := &cobra.Command{
		Use:     st.Name,
		Short:   st.Command.Short,
		Long:    st.Command.Long + trustHelp,
		Example: st.Command.Example,
		Args:    exactArgs(0, "arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd)
	return cmd
}

// add adds the flags of the store.
func (f *serveFlags) add(cmd *cobra.Command) {
	flags, st := cmd.Flags(), f.store
	flags.StringVar(&f.cfg.Listen, "listen", st.Command.Listen, st.Command.ListenHelp)
	flags.IntVar(&f.cfg.Workers, "server-threads", 1, st.Command.ThreadsHelp)
	flags.StringVar(&f.cfg.Mode, "mode", "cache", "behaviour without room: cache (the server "+
		"overwrites or evicts items) or store (nothing is lost; the server refuses writes)")
	flags.IntVar(&f.cfg.Items, "items", 4_000_000, "number of items to make room for")
	flags.StringVar(&f.cpus, "cpus", "", f.cpusHelp())
	flags.BoolVar(&f.asJSON, "json", false,
		`print the facts as JSON, with "addr", once the server accepts load`)
	if st.HashesKeys() {
		flags.StringVar(&f.cfg.Hash, "hash", st.Study.Hash,
			"hash function that clients must use for keys")
	}
	if st.OverVerbs() {
		addDeviceFlags(flags, &f.cfg.Device, deviceHelp{
			device: "device: " + provider.Names, value: st.DefaultDevice,
		})
	} else if h := st.Halves; h != nil {
		addDeviceFlags(flags, &f.cfg.Device, deviceHelp{
			prefix: "--half: ",
			device: "--half: device of the lanes: " + provider.Names + " (default: " +
				h.DefaultDevice + ")",
		})
	}
	if st.Command.Flags != nil {
		f.start = st.Command.Flags(flags)
		return
	}
	flags.IntVar(&f.cfg.KeyBytes, "key-bytes", st.Study.KeyBytes, "size of a key in bytes, to "+
		"reckon the memory for --items")
	flags.IntVar(&f.cfg.ValueBytes, "value-bytes", st.Study.ValueBytes,
		fmt.Sprintf("size of a value in bytes; %s's own overhead is added", st.Name))
	flags.Var((*numfmt.Size)(&f.cfg.MemoryBytes), "memory", "memory for items instead, such as "+
		"256MiB: in mode cache, the server evicts what does not fit")
}

func (f *serveFlags) cpusHelp() string {
	if f.store.Program != nil {
		return "CPUs that the server may use, such as 0,2-3, or \"none\" (default: those this " +
			"process may use)"
	}
	return `CPUs to pin workers to, one each in this order, such as 0,2-3; "none" pins nothing ` +
		"(default: all allowed CPUs, from the lowest up)"
}

// run starts the server and runs it until the command ends.
func (f *serveFlags) run(cmd *cobra.Command) error {
	s, err := f.serve(cmd.Flags())
	if err != nil {
		return usagef("serve %s: %w", f.store.Name, err)
	}
	if ip, ok := strings.CutPrefix(f.cfg.Device.Name, "softroce:"); ok {
		device := net.JoinHostPort(ip, strconv.Itoa(verbs.RoCEPort))
		if err := warnBeyondLoopback(cmd.ErrOrStderr(), device); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	if most := s.Facts().MaxClientBytes; most > 0 { // of this process
		limitHeap(most)
	}
	return runServer(cmd, s, f.asJSON)
}

// serve starts the server with the flags' values.
func (f *serveFlags) serve(flags *pflag.FlagSet) (_ kvs.Server, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.cfg.CPUs, err = parseCPUs(f.cpus); err != nil {
		return nil, err
	}
	if f.store.Program == nil {
		if f.cfg.CPUs, err = prepareCPUs(f.cfg.CPUs, f.threads(flags)); err != nil {
			return nil, ofFlag("cpus", err)
		}
	}
	f.cfg.Version = version
	s, err := f.start(&f.cfg)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, portHint(err, f.cfg.Listen))
	}
	return s, nil
}

// threads is the number of threads that the server pins. Of an engine, that is not the number of
// workers.
func (f *serveFlags) threads(flags *pflag.FlagSet) int {
	if half := flags.Lookup("half"); half != nil && half.Value.String() == kvs.PartEngine {
		if engine, err := flags.GetInt("engine-threads"); err == nil {
			return max(engine, f.cfg.Workers)
		}
	}
	return f.cfg.Workers
}

// portHint says what to do about a port that another process has; "" for other errors.
func portHint(err error, listen string) string {
	// memcached and Redis say it in their output
	if !strings.Contains(strings.ToLower(err.Error()), "address already in use") {
		return ""
	}
	host, text, _ := net.SplitHostPort(listen)
	port, _ := strconv.ParseUint(text, 10, 16)
	holder := cmp.Or(tcpinfo.Holder(uint16(port)), "another process")
	return fmt.Sprintf("; %s listens on port %s: end it, or give another port; with --listen %s "+
		"the server takes a free one", holder, text, net.JoinHostPort(host, "0"))
}

// check refuses words without a meaning, and sizes from which no room can be computed.
func (f *serveFlags) check() error {
	if f.store.HashesKeys() {
		if _, err := hashbench.Lookup(f.cfg.Hash); err != nil {
			return err
		}
	}
	if f.store.Command.Flags != nil {
		return nil // it has room of another kind
	}
	if n := f.cfg.KeyBytes; n < 1 || n > kvs.MaxKeyBytes {
		return fmt.Errorf("--key-bytes: found %d, allowed: 1 to %d", n, kvs.MaxKeyBytes)
	}
	if n := f.cfg.ValueBytes; n < 0 || n > kvs.MaxValueBytes {
		return fmt.Errorf("--value-bytes: found %d, allowed: 0 to %d", n, kvs.MaxValueBytes)
	}
	f.cfg.MaxValueBytes = f.cfg.ValueBytes
	return nil
}

// parseCPUs reads a --cpus flag. An empty flag means all CPUs that this process may use.
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
		return nil, ofFlag("cpus", err)
	}
	return cpus, nil
}

// prepareCPUs keeps this process on those CPUs that its threads will be pinned to in turn, as a
// sweep does, and returns them.
func prepareCPUs(cpus []int, threads int) ([]int, error) {
	threads = min(max(threads, 1), client.MaxThreads) // others are refused by who starts them
	cpus = cpus[:min(threads, len(cpus))]
	return cpus, cpu.Prepare(cpus, threads)
}

// serving is the line that --json prints.
type serving struct {
	Addr string `json:"addr"`
	kvs.Facts
}

// limitHeap keeps Go's heap near the memory that connections may take. Without a limit the
// collector lets the heap grow to twice that before it frees anything.
func limitHeap(connections int64) {
	const rest = 32 << 20 // the rest of a server's heap, and room for the collector
	debug.SetMemoryLimit(connections + connections/8 + rest)
}

// runServer announces a server and runs it until the command ends, or the server itself.
func runServer(cmd *cobra.Command, s kvs.Server, asJSON bool) error {
	said := serving{s.Addr(), s.Facts()}
	err := errors.Join(warnBeyondLoopback(cmd.ErrOrStderr(), s.Addr()),
		show(cmd, asJSON, said, said.write))
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

func (s *serving) write(w io.Writer) error {
	if s.Command != nil { // another program
		_, err := fmt.Fprintf(w,
			"%s %s on %s over %s: %d threads %s, mode %s: %s\n",
			s.Store, s.Version, s.Addr, s.Transport, s.Workers, pinnedTo(s.CPUs), s.Mode,
			strings.Join(s.Command, " "))
		return err
	}
	name, workers := kvs.TitleOf(s.Store), "workers"
	switch s.Half {
	case kvs.PartProxy: // it has no items
		_, err := fmt.Fprintf(w,
			"proxy of %s on %s, lanes over %s: %d threads %s\n",
			name, s.Addr, s.Provider, s.Workers, pinnedTo(s.CPUs))
		return err
	case kvs.PartEngine:
		name, workers = "engine of "+name, "threads"
	case kvs.PartStore:
		name = "store half of " + name
	}
	_, err := fmt.Fprintf(w,
		"%s on %s over %s: %d %s %s, %d partitions, mode %s, access %s, %d items, %s of log, "+
			"pages %s\n",
		name, s.Addr, strings.Trim(s.Transport+" "+s.Provider, " "), s.Workers, workers,
		pinnedTo(s.CPUs), s.Partitions, s.Mode, s.Access, s.Items, numfmt.Size(s.LogBytes),
		s.Pages)
	return err
}

// pinnedTo names the CPUs of a server's threads.
func pinnedTo(cpus []int) string {
	if len(cpus) == 0 {
		return "not pinned"
	}
	return fmt.Sprintf("on CPUs %v", cpus)
}
