package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpukv/client"
	"dpukv/client/liveline"
	"dpukv/hashbench"
	"dpukv/internal/machine"
	"dpukv/internal/outfile"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/load"
	"dpukv/results"
	"dpukv/results/table"
	"dpukv/results/threshold"
	"dpukv/verbs/provider"
)

// loadFlags are a load's flags before parsing.
type loadFlags struct {
	cfg    client.Config
	store  string
	server kvs.DialConfig // as far as flags say how to reach it
	dial   func(context.Context, *kvs.DialConfig) (kvs.Remote, error)
	login  credentialFlags
	own    ownKeyFlags
	cpus   string
	fields fieldFlags
	asJSON bool
	limits limits
	hist   string // the file for the histogram; "": none
}

func newLoadCommand() *cobra.Command {
	var f loadFlags
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Put load on a running server, and print one point",
		Long: `Put load on a running server: preload every key, verify that the store has them, warm up, measure,
and print one point. Every answer is checked.

Without --rate the loop is closed: each connection keeps --window batches in flight. With --rate the
loop is open: operations follow a schedule, and latency counts from the time at which an operation
was due.

With --slo, a last line says whether the point keeps a bound: kept, broken, or not shown to keep it.
It starts no search, and leaves the exit status. With --json that line goes to stderr.` +
			thresholdHelp("") + `
Without --fail-if, it is 1 if the load failed.`,
		Example: loadExamples(),
		Args:    exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.limits.status(f.run(cmd))
		},
	}
	f.add(cmd)
	return cmd
}

// loadExamples are the help's examples: those that fit any store, then one of each other store.
func loadExamples() string {
	text := `  dpukv load --server 127.0.0.1:7791
  dpukv load --server 127.0.0.1:7791 --client-threads 2 --get-ratio 0.95 --dist zipf:0.99 \
    --duration 10s --json
  dpukv load --server 127.0.0.1:7791 --rate 1e6
  dpukv load --server 127.0.0.1:7791 --rate 1e5 --slo p99=300us --fail-if 'p99.9 > 2ms'`
	for _, name := range stores.Names()[1:] {
		text += "\n  dpukv load --store " + name + " --server 127.0.0.1:7791"
	}
	return text
}

func (f *loadFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	w, study := &f.cfg.Workload, stores.Default().Study
	flags.StringVar(&f.store, "store", stores.Default().Name,
		"store that the server runs: "+strings.Join(stores.Names(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("store", // fails only for a flag that is not there
		cobra.FixedCompletions(stores.Names(), cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&f.cfg.ServerAddr, "server", "",
		"address of the server's first worker, HOST:PORT, or a URL: "+urlHelp()+" (required)")
	f.login.add(flags, "")
	f.own.add(flags, "")
	flags.StringVar(&f.server.Proxy, "proxy", "", "address of a proxy that carries the requests, "+
		"HOST:PORT, as \"dpukv serve\" with --half proxy printed it ("+splittable()+")")
	flags.StringVar(&f.server.Answers, "answers", "read", "with --proxy: how requests reach the "+
		"proxy: it fetches them (read), or the client writes them (write); as the sweep key "+
		"answers")
	flags.IntVar(&f.cfg.Threads, "client-threads", 1, "threads of the client")
	flags.IntVar(&f.cfg.Connections, "connections", 1,
		"connections of each thread to each server worker")
	flags.IntVar(&f.cfg.Window, "window", 1, "batches in flight on each connection")
	flags.IntVar(&f.cfg.Batch, "batch", study.Batch,
		"operations in a batch"+defaults(func(k *kvs.StudyDefaults) int { return k.Batch }))
	f.fields.add(flags, "mix", "none", "load that others have described, whose values other flags "+
		"replace: "+load.MixAllowed)
	w.GetRatio, w.Dist = 1, load.Uniform
	f.fields.add(flags, "get_ratio", "1", "share of GETs, 0 to 1; all others are SETs")
	f.fields.add(flags, "set_after", "none", "what a SET waits for: nothing (none), or the answer "+
		"to a GET of its key (get)")
	flags.IntVar(&w.Keys, "keys", 1_000_000, "number of different keys; the client stores all of "+
		"them first")
	f.fields.add(flags, "key_bytes", "", "size of a key in bytes: 1 to 255, a range such as "+
		"16-40, weights such as 16:90+40:10, etc for Facebook's ETC, or file:PATH with a line "+
		"for each size and its weight"+
		defaults(func(k *kvs.StudyDefaults) int { return k.KeyBytes }))
	flags.StringVar(&w.KeyPrefix, "key-prefix", "",
		"text that all keys begin with, as a part of --key-bytes")
	flags.DurationVar(&w.TTL, "ttl", 0,
		"time after which a stored item expires; 0: never ("+strings.Join(
			stores.NamesOf(func(st *kvs.Store) bool { return st.TTLUnit > 0 }), ", ")+")")
	f.fields.add(flags, "value_bytes", "", "size of a value in bytes: 0 to 65535, a range such as "+
		"32-1024, weights such as 32:90+1024:10, etc for Facebook's ETC, or file:PATH with a "+
		"line for each size and its weight"+
		defaults(func(k *kvs.StudyDefaults) int { return k.ValueBytes }))
	f.fields.add(flags, "value_size_by", "set", "what decides the size of a value with sizes by a "+
		"distribution: set (each SET draws it) or key (all values of a key have one size)")
	hideDefaults(flags, "batch")
	f.fields.add(flags, "trace", "none", "file that the operations come from, as dpukv trace "+
		"convert wrote it, or a CSV file, which is converted first; it is replayed as a whole, or "+
		"for --duration")
	f.fields.add(flags, "trace_speed", "1", "factor by which a trace is faster than recorded; 0: "+
		"each operation follows as soon as it can")
	f.fields.add(flags, "trace_sample", "1", "share of a trace's keys, such as 1/64, each with "+
		"all its operations")
	f.fields.add(flags, "trace_range", "none", "range of a trace's operations: FROM-TO")
	f.fields.add(flags, "dist", "uniform", "distribution of the keys: "+load.DistAllowed)
	flags.Float64Var(&f.cfg.RateOps, "rate", 0,
		"operations offered per second, over all threads; 0: closed loop")
	f.fields.add(flags, "arrivals", load.Poisson, "arrivals of the batches with --rate: poisson "+
		"(independent), constant (equal distances), or etc (Facebook's ETC, for each thread)")
	flags.DurationVar(&f.cfg.Duration, "duration", 5*time.Second, "length of the measurement "+
		"period")
	flags.IntVar(&f.cfg.Requests, "requests", 0,
		"operations after which the measurement period ends, instead of --duration")
	flags.IntVar(&f.cfg.ReconnectEvery, "reconnect-every", 0,
		"operations after which a thread closes its connections and opens them anew, over TCP "+
			"(0: never)")
	f.fields.add(flags, "on_miss", "refuse", "GETs that miss their key: too many fail the load "+
		"(refuse), or the hit rate is a result (allow), or the client also stores the key after "+
		"each miss (fill)")
	f.fields.add(flags, "fill_delay", "0s", "time from a miss to its fill, as of a database "+
		"behind a cache, such as 1ms")
	flags.DurationVar(&f.cfg.Compute, "compute", 0,
		"work that a thread does after each batch, before it looks for answers, such as 5us (0: "+
			"none)")
	f.fields.add(flags, "client_wait", kvs.WaitSleep, "how threads wait for answers: they sleep, "+
		"or they poll, which takes all time of their CPUs (poll; "+strings.Join(
		stores.NamesOf(func(st *kvs.Store) bool { return st.Waits.Clients }), ", ")+")")
	flags.DurationVar(&f.cfg.Warmup, "warmup", 500*time.Millisecond,
		"time under load before the measurement period")
	flags.Uint64Var(&w.Seed, "seed", 1, "seed of the sequence of operations")
	flags.StringVar(&f.cfg.Hash, "hash", "", fmt.Sprintf(
		"hash function for keys, or none (default: the server's; %s need none)",
		strings.Join(
			stores.NamesOf(func(st *kvs.Store) bool { return !st.HashesKeys() }), " and ")))
	flags.BoolVar(&f.cfg.CheckHash, "check-hash", false,
		"measure the hash share a second time after the load, with hashing done "+
			"beforehand (0.8 s)")
	flags.StringVar(&f.cpus, "cpus", "",
		`CPUs to pin threads to, one each in this order, such as 0,2-3; "none" pins nothing `+
			"(default: all allowed CPUs, from the highest down; servers start from the lowest)")
	prefix := strings.Join(stores.NamesOf((*kvs.Store).OverVerbs), ", ") + ", --proxy: "
	addDeviceFlags(flags, &f.server.Device, deviceHelp{
		device: prefix + "device that reaches the server, or the proxy: " + provider.Names +
			" (default: its kind of device)",
		prefix: prefix, mtu: ", the server's",
	})
	flags.StringVar(&f.server.Protocol, "protocol", "", protocolHelp())
	flags.DurationVar(&f.cfg.Timeout, "timeout", client.DefaultTimeout,
		"fail if no answer comes for this long")
	flags.StringVar(&f.hist, "hist", "",
		"file for the latency histogram: an HdrHistogram log, or if its name ends in .hgrm a "+
			"table of percentiles in µs")
	f.limits.add(flags, "latency bound to judge the point by, such as p99=300us")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of a table")
}

// splittable names the stores whose clients may have a proxy.
func splittable() string {
	return strings.Join(stores.NamesOf(func(st *kvs.Store) bool { return st.Halves != nil }), ", ")
}

// proxyFits refuses flags of a proxy, or of a device, that the store has no use for.
func (f *loadFlags) proxyFits(st *kvs.Store, given func(flag string) bool) error {
	switch proxied := f.server.Proxy != ""; {
	case proxied && st.Halves == nil:
		return fmt.Errorf("--proxy: found with %s, whose client has no proxy, allowed: with %s",
			st.Name, splittable())
	case !proxied && given("answers"):
		return errors.New("--answers: found without --proxy, allowed: with it; add --proxy, or " +
			"leave --answers out")
	case !proxied && !st.OverVerbs() &&
		(f.server.Device.Name != "" || given("gid-index") || given("mtu")):
		return fmt.Errorf("--device, --gid-index, --mtu: found with %s, which needs no device, "+
			"allowed: with %s, or with --proxy", st.Name,
			strings.Join(stores.NamesOf((*kvs.Store).OverVerbs), ", "))
	case !proxied:
		f.server.Answers = ""
	}
	return nil
}

// waitFits refuses a way of waiting that the client has no choice of.
func (f *loadFlags) waitFits(st *kvs.Store) error {
	if f.server.Proxy != "" && f.cfg.ClientWait != "" {
		return fmt.Errorf("--client-wait: found %s with --proxy, allowed: without it; lanes to a "+
			"proxy are polled in any case", f.cfg.ClientWait)
	}
	if err := st.CheckClientWait(f.cfg.ClientWait); err != nil {
		return ofFlag("client-wait", err)
	}
	return nil
}

// defaults says a flag's default, and which stores have another one.
func defaults(of func(*kvs.StudyDefaults) int) string {
	usual := stores.Default().Study
	text := fmt.Sprintf(" (default %d", of(&usual))
	for _, st := range stores.All() {
		if n := of(&st.Study); n != of(&usual) {
			text += fmt.Sprintf("; %s: %d", st.Name, n)
		}
	}
	return text + ")"
}

// hideDefaults keeps the help from adding the defaults of flags whose texts say them.
func hideDefaults(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		f.DefValue = map[string]string{"int": "0"}[f.Value.Type()] // what the help leaves out
	}
}

// protocolHelp is the stores' help texts on their protocols. Neighbours with one text share it.
func protocolHelp() string {
	text, last := "", ""
	for _, st := range stores.All() {
		switch help := ": " + st.ProtocolHelp; {
		case len(st.Protocols) == 0:
		case help == last:
			text = strings.TrimSuffix(text, help) + ", " + st.Name + help
		default:
			text += "; " + st.Name + help
			last = help
		}
	}
	return strings.TrimPrefix(text, "; ")
}

func (f *loadFlags) run(cmd *cobra.Command) (err error) {
	if err := f.understand(cmd.Context(), cmd.Flags().Changed); err != nil {
		return usagef("load: %w", err)
	}
	done, err := f.findTrace(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if f.cfg.CPUs, err = prepareCPUs(f.cfg.CPUs, f.cfg.Threads); err != nil {
		return usagef("load: %w", ofFlag("cpus", err))
	}
	remote, err := f.reached(cmd.Context())
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("load: %w; start one with: dpukv serve %s", err, f.store)
	}
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer remote.Close()
	f.cfg.Hash = cmp.Or(f.cfg.Hash, remote.Facts().Hash, kvs.NoHash)
	if err := f.cfg.Fits(remote.Facts()); err != nil {
		return usagef("load: %w", err)
	}
	found, err := f.begin(cmd, remote)
	if err != nil {
		return err
	}
	live := liveline.New(cmd.ErrOrStderr())
	f.cfg.OnProgress = live.Show
	result, err := client.Run(cmd.Context(), remote, f.cfg)
	live.Close()
	if result == nil {
		return usagef("%w", err)
	}
	removed := f.removeOwn(cmd, remote, &found)
	leaves("")
	emulator := machine.EmulatorWarning("the client", machine.Emulator())
	p := &result.Point
	p.Emulated = p.Emulated || emulator != ""
	p.Warnings = append(p.Warnings, results.ReadWarnings(f.foundBefore(found), emulator)...)
	p.ID, p.Repeat, p.ClientVersion = "load", 1, version
	// nobody here placed the server
	p.Placement, p.Submode, p.Attached = "attached", "unknown", true
	printed := show(cmd, f.asJSON, p, func(w io.Writer) error { return table.WritePoint(w, p) })
	rest := errors.Join(removed, printed, f.writeHist(result), f.judge(cmd, p))
	if result.Lost > 0 {
		return errors.Join(rest, err) // what others lost is the last line
	}
	return errors.Join(err, rest)
}

// reached dials the server, and waits for its answer no longer than for any other. A call that it
// abandons ends with the process.
func (f *loadFlags) reached(ctx context.Context) (kvs.Remote, error) {
	type reply struct {
		remote kvs.Remote
		err    error
	}
	replies := make(chan reply, 1)
	go func() {
		remote, err := f.dial(ctx, &f.server)
		replies <- reply{remote, err}
	}()
	timer := time.NewTimer(f.cfg.Timeout)
	defer timer.Stop()
	select {
	case r := <-replies:
		return r.remote, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, fmt.Errorf("%s did not answer within %v: check that it is a %s server, that "+
			"it runs and can be reached, or allow a longer --timeout", f.cfg.ServerAddr,
			f.cfg.Timeout, f.store)
	}
}

// judge says whether the point keeps the bound and the thresholds.
func (f *loadFlags) judge(cmd *cobra.Command, p *results.Point) error {
	w := cmd.OutOrStdout()
	if f.asJSON {
		w = cmd.ErrOrStderr()
	}
	if b := f.limits.bound; b != nil {
		fmt.Fprintln(w, threshold.SayBound(*b, p))
	}
	return threshold.Write(w,
		threshold.Judge(f.limits.list, []results.Point{*p}, threshold.Where{}))
}

// writeHist writes the histogram of a point that is ok.
func (f *loadFlags) writeHist(result *client.Result) error {
	if f.hist == "" || result.Point.Status != results.StatusOK {
		return nil
	}
	encode := results.EncodeHlog
	if filepath.Ext(f.hist) == ".hgrm" {
		encode = results.EncodeHgrm
	}
	text, err := encode(result.Intervals)
	if err != nil {
		return err
	}
	return outfile.Write(f.hist, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// understand parses the flags' texts.
func (f *loadFlags) understand(ctx context.Context, given func(flag string) bool) (err error) {
	if err := f.limits.parse(); err != nil {
		return err
	}
	st, err := stores.Named(f.store)
	if err != nil {
		return fmt.Errorf("--%w", err)
	}
	f.dial = st.Dial
	f.asStudied(given, &st.Study)
	if err := f.fields.read(ctx, &f.cfg.Load); err != nil {
		return err
	}
	if err := f.proxyFits(&st, given); err != nil {
		return err
	}
	if err := st.CheckTTL(f.cfg.TTL); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := f.waitFits(&st); err != nil {
		return err
	}
	if err := f.protocolFits(&st); err != nil {
		return err
	}
	if f.hist != "" {
		if err := outfile.Check(f.hist); err != nil {
			return ofFlag("hist", err)
		}
	}
	if f.cfg.Timeout == 0 { // below, it means the default
		return errors.New("--timeout: found 0s, allowed: more than 0; a lost answer needs a limit")
	}
	if err := f.endsOnce(given); err != nil {
		return err
	}
	if f.cfg.ServerAddr == "" {
		return errors.New(`--server: found none; give HOST:PORT of a server, or start one: dpukv serve STORE`)
	}
	if err := f.reach(&st); err != nil {
		return err
	}
	if !given("arrivals") {
		f.cfg.Arrivals = f.cfg.DefaultArrivals()
	}
	if f.cfg.Replays() {
		f.asRecorded(given)
	}
	if f.cfg.Hash != "" && f.cfg.Hash != kvs.NoHash {
		if _, err := hashbench.Lookup(f.cfg.Hash); err != nil {
			return ofFlag("hash", err)
		}
	}
	if f.cfg.CPUs, err = parseCPUs(f.cpus); err != nil {
		return err
	}
	if f.cpus == "" {
		slices.Reverse(f.cfg.CPUs)
	}
	fits := f.cfg
	if fits.Hash == "" && !st.HashesKeys() {
		fits.Hash = kvs.NoHash
	}
	return fits.Check()
}

// reach understands the server's address, and reads what lets the client in.
func (f *loadFlags) reach(st *kvs.Store) (err error) {
	if f.server.Credentials, err = f.login.read(); err != nil {
		return err
	}
	f.server.Addr = f.cfg.ServerAddr
	st.Endpoints.FromEnvironment(&f.server.Credentials)
	e, err := st.Endpoints.Parse(f.cfg.ServerAddr, &f.server.Credentials)
	if err != nil {
		return ofFlag("server", err)
	}
	f.cfg.SameHost = e.Here()
	return nil
}

// urlHelp has an example of a URL for each store whose servers have one.
func urlHelp() string {
	var texts []string
	for _, st := range stores.All() {
		if r := st.Endpoints; r.Databases {
			texts = append(texts, r.Scheme+"://[USER@]HOST:PORT[/DB]")
		} else if r.Scheme != "" {
			texts = append(texts, r.Scheme+"://[USER@]HOST:PORT")
		}
	}
	return strings.Join(texts, ", ") + ", with an s for TLS, or unix://PATH"
}

// endsOnce refuses two ends of one measurement period.
func (f *loadFlags) endsOnce(given func(flag string) bool) error {
	switch {
	case !given("requests"):
		return nil
	case given("duration"):
		return errors.New("--requests: found with --duration, allowed: one of the two; each ends " +
			"the measurement period")
	case f.cfg.Requests < 1:
		return fmt.Errorf("--requests: found %d, allowed: 1 or more", f.cfg.Requests)
	}
	f.cfg.Duration = 0
	return nil
}

// asStudied sets values that the user left out to those of the store's own study.
func (f *loadFlags) asStudied(given func(flag string) bool, k *kvs.StudyDefaults) {
	for name, own := range map[string]struct {
		value *int
		study int
	}{
		"batch":       {&f.cfg.Batch, k.Batch},
		"key-bytes":   {&f.cfg.Workload.KeyBytes, k.KeyBytes},
		"value-bytes": {&f.cfg.Workload.ValueBytes, k.ValueBytes},
	} {
		if !given(name) {
			*own.value = own.study
		}
	}
}

// protocolFits refuses protocols that the store does not have.
func (f *loadFlags) protocolFits(st *kvs.Store) error {
	switch asked := f.server.Protocol; {
	case asked == "" || slices.Contains(st.Protocols, asked):
		return nil
	case st.Protocols == nil:
		several := stores.NamesOf(func(st *kvs.Store) bool { return st.Protocols != nil })
		return fmt.Errorf("--protocol: found %q with %s, which has one protocol, allowed: with %s",
			asked, st.Name, strings.Join(several, ", "))
	default:
		return fmt.Errorf("--protocol: found %q, allowed: %s", asked,
			strings.Join(st.Protocols, ", "))
	}
}
