package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpukv/hashbench"
	"dpukv/internal/offheap"
	"dpukv/kvs/herd"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// herdFlags are a server's flags before they are understood.
type herdFlags struct {
	cfg               herd.Config
	opts              provider.Options
	mode, pages, cpus string
	memory            byteSize
	asJSON            bool
}

func newServeHERDCommand() *cobra.Command {
	f := herdFlags{memory: 512 << 20, opts: provider.Defaults}
	cmd := &cobra.Command{
		Use:   "herd",
		Short: "Run HERD, an in-memory store over RDMA",
		Long: `Run HERD: clients write requests into slots of the server's memory (UC WRITE), worker
threads poll the slots, each on its own CPU and with its own partition, and send the answers (UD SEND).

Devices: shm (clients on this machine, through memory), softroce:ADDRESS (RoCE v2 in software, on an IPv4
address of this machine), ibverbs:NAME (an RDMA NIC). Clients find the server at --listen, a TCP address,
where they get their slots. A worker polls: its CPU is busy while there is load. The server ends on SIGTERM or Ctrl-C.` + trustHelp + `
Through --device, other machines that reach a softroce address, or the NIC, can send requests too.`,
		Example: `  dpukv serve herd
  dpukv serve herd --device softroce:10.0.0.1 --listen 10.0.0.1:7791 --threads 4 --cpus 0-3
  dpukv serve herd --device ibverbs:mlx5_0 --listen 10.0.0.1:7791 --slot-bytes 1024`,
		Args: exactArgs(0, "arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.understand(); err != nil {
				return usagef("serve herd: %w", err)
			}
			return serveHERD(cmd, f.cfg, f.asJSON)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *herdFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.cfg.Listen, "listen", "127.0.0.1:7791", "TCP address at which clients get their slots")
	flags.StringVar(&f.cfg.Device, "device", herd.DefaultDevice, "device: "+provider.Names)
	flags.IntVar(&f.opts.GIDIndex, "gid-index", f.opts.GIDIndex, "index into the port's GID table; -1: its RoCE v2 IPv4 GID")
	flags.IntVar(&f.opts.MTU, "mtu", 0, "path MTU in bytes, 256 to 4096 (default: the port's)")
	flags.IntVar(&f.cfg.Workers, "threads", 1, "worker threads, each with one partition")
	flags.StringVar(&f.mode, "mode", "cache", "what happens without room: cache (the oldest is overwritten) or store (nothing is lost, the answer is full)")
	flags.IntVar(&f.cfg.Items, "items", 4_000_000, "items that the index is sized for")
	flags.Var(&f.memory, "memory", "room for the items, such as 256MiB or 4GiB; a key of 16 bytes with a value of 32 takes 64")
	flags.StringVar(&f.pages, "pages", "auto", "memory pages: auto, hugetlb, thp, 4k")
	flags.StringVar(&f.cfg.Hash, "hash", herd.DefaultHash, "hash function that clients must use for keys")
	flags.IntVar(&f.cfg.Window, "window", herd.DefaultWindow, "requests that a connection may have in flight at one worker")
	flags.IntVar(&f.cfg.SlotBytes, "slot-bytes", herd.MinSlotBytes, "bytes of a slot: 16 for the request, the rest for key and value")
	flags.IntVar(&f.cfg.MaxClients, "max-clients", herd.DefaultMaxClients, "connections that may have slots")
	flags.IntVar(&f.cfg.MaxConnections, "max-connections", 0,
		"connections in all, also those that only ask for counters (default: four for each of --max-clients, as far as ulimit -n goes)")
	flags.BoolVar(&f.cfg.Faithful, "faithful", false, "poll as the original does: one slot of each client a pass")
	flags.StringVar(&f.cpus, "cpus", "", `CPUs that workers are pinned to in turn, with all else of this process, such as 0,2-3, or "none" (default: those this process may use, ascending)`)
	flags.BoolVar(&f.asJSON, "json", false, `print the facts as JSON, with "addr", once the server accepts load`)
}

// understand turns texts into what they mean.
func (f *herdFlags) understand() (err error) {
	// Below, 0 means the default.
	for flag, n := range map[string]int{"window": f.cfg.Window, "max-clients": f.cfg.MaxClients, "slot-bytes": f.cfg.SlotBytes} {
		if n == 0 {
			return fmt.Errorf("--%s 0: want more than 0, or no --%s for the default", flag, flag)
		}
	}
	f.cfg.LogBytes, f.cfg.Version, f.cfg.DeviceOptions = int64(f.memory), version, &f.opts
	if f.cfg.Mode, err = partition.ParseMode(f.mode); err != nil {
		return err
	}
	if f.cfg.Pages, err = offheap.ParsePages(f.pages); err != nil {
		return err
	}
	if _, err := hashbench.Lookup(f.cfg.Hash); err != nil {
		return err
	}
	f.cfg.CPUs, err = parseCPUs(f.cpus)
	return err
}

func serveHERD(cmd *cobra.Command, cfg herd.Config, asJSON bool) error {
	var err error
	if cfg.CPUs, err = settle(cfg.CPUs, cfg.Workers); err != nil {
		return usagef("serve herd: --cpus: %w", err)
	}
	s, err := herd.Start(cfg)
	if err != nil {
		return usagef("serve herd: %w", err)
	}
	if ip, ok := strings.CutPrefix(cfg.Device, "softroce:"); ok {
		device := net.JoinHostPort(ip, strconv.Itoa(verbs.RoCEPort))
		if err := warnBeyondLoopback(cmd.ErrOrStderr(), device); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	limitHeap(s.Facts().MaxClientBytes)
	return runServer(cmd, s, asJSON)
}
