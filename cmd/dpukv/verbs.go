package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dpukv/verbs"
	"dpukv/verbs/perf"
	"dpukv/verbs/provider"
)

func newVerbsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verbs",
		Short: "Measure RDMA itself: latency and bandwidth of WRITE, READ and SEND",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("verbs: found the unknown measurement %q, allowed: lat, bw", args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newPerfCommand(perf.Latency, "latency"),
		newPerfCommand(perf.Bandwidth, "bandwidth"))
	return cmd
}

// perfFlags are a microbenchmark's flags before parsing.
type perfFlags struct {
	cfg                    perf.Config
	device, op, connection string
	opts                   provider.Options
	size                   int
	duration, warmup       seconds
	port                   int
	listen                 string
	all, loopback, asJSON  bool
}

func newPerfCommand(kind perf.Kind, what string) *cobra.Command {
	f := perfFlags{cfg: perf.Defaults(kind), opts: provider.Defaults}
	cmd := &cobra.Command{
		Use:   string(kind) + " [SERVER]",
		Short: "Measure " + what + " of an RDMA operation, with perftest's flags and columns",
		Long: `Measure ` + what + ` of an RDMA operation, with perftest's flags and columns.

Without an argument it is a server, for one run. With a server's address it is the client. The
client chooses the measurement: the server needs only --device, --gid-index, --mtu, --listen and
--port. Both ends print the address of the other.

The server listens on this machine's loopback address. For a client on another machine, name another
address with --listen. There is no authentication: whoever reaches that address can be the client.

Devices: shm (both ends on one machine), softroce:ADDRESS (RoCE v2 in software, on an IPv4 address
of this machine), ibverbs:NAME (an RDMA NIC). Two softroce ends on one machine need two addresses,
such as 127.0.0.1 and 127.0.0.2.`,
		Example: fmt.Sprintf(`  dpukv probe verbs %[1]s --loopback -d shm -a
  dpukv probe verbs %[1]s -d ibverbs:mlx5_0 --listen 10.0.0.1   # on one machine
  dpukv probe verbs %[1]s -d softroce:10.0.0.2 -c UC 10.0.0.1   # on the other`, kind),
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.add(cmd, kind)
	return cmd
}

func (f *perfFlags) add(cmd *cobra.Command, kind perf.Kind) {
	flags := cmd.Flags()
	flags.StringVarP(&f.device, "device", "d", "", "device: "+provider.Names+" (required)")
	flags.IntVarP(&f.opts.GIDIndex, "gid-index", "x", f.opts.GIDIndex,
		"index into the port's GID table; -1: its RoCE v2 IPv4 GID")
	flags.IntVarP(&f.opts.MTU, "mtu", "m", 0,
		"path MTU in bytes, 256 to 4096 (default: the port's)")
	flags.IntVarP(&f.port, "port", "p", perf.DefaultPort, "TCP port of the side channel")
	flags.StringVar(&f.listen, "listen", "127.0.0.1", "address of the side channel at a server; "+
		"0.0.0.0 or :: for all (without authentication)")
	flags.StringVar(&f.op, "op", string(perf.Write), "operation: write, read or send")
	flags.StringVarP(&f.connection, "connection", "c", "RC", "transport service: RC, UC or UD")
	flags.IntVarP(&f.size, "size", "s", f.cfg.Sizes[0], "size of a message in bytes")
	flags.BoolVarP(&f.all, "all", "a", false,
		"measure all sizes from 2 bytes to 8 MB; datagrams up to the MTU")
	flags.IntVarP(&f.cfg.Iters, "iters", "n", f.cfg.Iters, "messages of each size, for each QP")
	flags.VarP(&f.duration, "duration", "D",
		"measure each size for this time, such as 5s, instead of --iters")
	flags.Var(&f.warmup, "warmup", "warm up each size for this time, such as 1s")
	flags.IntVarP(&f.cfg.TxDepth, "tx-depth", "t", f.cfg.TxDepth, "sends in flight, for each QP")
	flags.IntVarP(&f.cfg.RxDepth, "rx-depth", "r", f.cfg.RxDepth, "receives posted, for each QP")
	flags.IntVarP(&f.cfg.Inline, "inline_size", "I", f.cfg.Inline,
		"largest message to send inline, in bytes; -1: 220 for latency if the device can, 0 for "+
			"bandwidth")
	if kind == perf.Bandwidth {
		flags.IntVarP(&f.cfg.QPs, "qp", "q", f.cfg.QPs, "queue pairs")
		flags.IntVarP(&f.cfg.PostList, "post_list", "l", f.cfg.PostList,
			"work requests in one post")
		flags.IntVarP(&f.cfg.CQMod, "cq-mod", "Q", f.cfg.CQMod,
			"work requests per completion (default 100, or --tx-depth if less)")
		hideDefaults(flags, "cq-mod")
	}
	flags.BoolVar(&f.loopback, "loopback", false, "run both ends in this process, on one device")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of a table")
}

func (f *perfFlags) run(cmd *cobra.Command, args []string) error {
	name := "verbs " + cmd.Name()
	if err := f.understand(cmd, args); err != nil {
		return usagef("%s: %w", name, err)
	}
	dev, err := provider.Open(f.device, f.opts)
	if err != nil {
		return usagef("%s: %w", name, err)
	}
	err = f.measure(cmd, dev, args)
	if err = errors.Join(err, dev.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// understand parses the flags' texts.
func (f *perfFlags) understand(cmd *cobra.Command, args []string) (err error) {
	switch {
	case f.device == "":
		return fmt.Errorf("--device: found none, allowed: %s", provider.Names)
	case len(args) > 1:
		return fmt.Errorf("found the servers %q, allowed: at most one", args)
	case f.loopback && len(args) > 0:
		return fmt.Errorf("--loopback: found the server %q, allowed: none, as both ends are "+
			"here", args[0])
	case cmd.Flags().Changed("listen") && (f.loopback || len(args) > 0):
		return errors.New("--listen: found it with a server or --loopback, allowed: at a server " +
			"only")
	case net.ParseIP(f.listen) == nil:
		return fmt.Errorf("--listen: found %q, allowed: an IP address of this machine, or "+
			"0.0.0.0 or :: for all",
			f.listen)
	case f.port < 1 || f.port > 65535:
		return fmt.Errorf("--port: found %d, allowed: 1 to 65535", f.port)
	}
	if f.cfg.Op, err = perf.ParseOp(f.op); err != nil {
		return ofFlag("op", err)
	}
	if f.cfg.Connection, err = perf.ParseConnection(f.connection); err != nil {
		return ofFlag("connection", err)
	}
	f.cfg.Duration, f.cfg.Warmup = time.Duration(f.duration), time.Duration(f.warmup)
	f.cfg.Sizes = []int{f.size}
	if f.all {
		f.cfg.Sizes = perf.AllSizes()
	}
	if !cmd.Flags().Changed("cq-mod") {
		f.cfg.CQMod = min(f.cfg.CQMod, f.cfg.TxDepth)
	}
	return f.cfg.Check()
}

// measure plays the role that the arguments select.
func (f *perfFlags) measure(cmd *cobra.Command, dev verbs.Device, args []string) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	watch := f.observer(out)
	if f.loopback {
		report, err := perf.Loopback(ctx, dev, f.cfg, watch)
		return f.writeReport(out, report, err)
	}
	if len(args) == 0 {
		client, err := f.accept(ctx, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer client.Close()
		return perf.Serve(ctx, dev, client, watch)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp",
		net.JoinHostPort(args[0], strconv.Itoa(f.port)))
	if err != nil {
		return fmt.Errorf("%w: check that the server runs there: %s -d DEVICE -p %d", err,
			cmd.CommandPath(), f.port)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	report, err := perf.Run(ctx, dev, conn, f.cfg, watch)
	return f.writeReport(out, report, err)
}

// accept waits for the one client.
func (f *perfFlags) accept(ctx context.Context, say io.Writer) (*perf.Caller, error) {
	addr := net.JoinHostPort(f.listen, strconv.Itoa(f.port))
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --listen and --port", err)
	}
	fmt.Fprintf(say, "waiting for a client on %s\n", l.Addr())
	if ip := net.ParseIP(f.listen); ip.IsLoopback() {
		fmt.Fprintln(say, "only from this machine: --listen ADDRESS lets others in")
	} else {
		fmt.Fprintf(say, "warning: without authentication, whoever reaches %s can be the client, "+
			"and make this process take up to %d GiB of memory\n", l.Addr(), perf.MaxMemory>>30)
	}
	return perf.Accept(ctx, l, func(err error) {
		fmt.Fprintf(say, "still waiting: %s\n", verbs.Printable(err.Error()))
	})
}

// observer prints a run's progress; a report in JSON comes at the end.
func (f *perfFlags) observer(out io.Writer) perf.Observer {
	if f.asJSON {
		return perf.Observer{}
	}
	return perf.Observer{
		Connected: func(h *perf.Header) { _ = perf.WriteHeader(out, h) },
		Measured:  func(p *perf.Point) { _ = perf.WritePoint(out, p) },
	}
}

func (f *perfFlags) writeReport(out io.Writer, report *perf.Report, err error) error {
	if f.asJSON && report != nil {
		return errors.Join(err, json.NewEncoder(out).Encode(report))
	}
	return err
}

// seconds is a flag for a duration: a number of seconds, as in perftest, or a number with its unit.
type seconds time.Duration

// Set reads "5" or "5s" or "200ms".
func (s *seconds) Set(text string) error {
	if n, err := strconv.Atoi(text); err == nil {
		text = fmt.Sprint(n, "s")
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("found %q, allowed: seconds, or a duration such as 200ms", text)
	}
	*s = seconds(d)
	return nil
}

func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

// Type names the flag's kind in help texts.
func (s *seconds) Type() string { return "time" }
