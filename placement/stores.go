package placement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/mica"
	"dpukv/kvs/mica/partition"
	"dpukv/verbs/provider"
)

// store is how a node serves and dials one kind of store.
type store struct {
	maxBatch int       // operations
	study    kvs.Knobs // for what a sweep leaves open
	check    func(*Config) error
	serve    func(spec *serverSpec, cpus []int, version string) (server, error)
	dial     func(ctx context.Context, spec *clientSpec) (kvs.Remote, error)
	rdma     bool // carried by a device of the testbed
}

// server is a store's server once it accepts load.
type server interface {
	Addr() string
	Facts() kvs.Facts
	Wait() error // returns when the server has ended
	Close() error
}

var stores = map[string]store{
	"mica": {
		maxBatch: mica.MaxBatch,
		study:    mica.Study,
		check:    func(*Config) error { return nil },
		serve:    serveMICA,
		dial:     func(ctx context.Context, spec *clientSpec) (kvs.Remote, error) { return mica.Dial(ctx, spec.Addr) },
	},
	"herd": {
		maxBatch: herd.DefaultWindow,
		study:    herd.Study,
		check:    checkHERD,
		serve:    serveHERD,
		dial: func(ctx context.Context, spec *clientSpec) (kvs.Remote, error) {
			return herd.Dial(ctx, spec.Addr, herd.Options{Device: spec.Device, DeviceOptions: &provider.Options{GIDIndex: spec.GIDIndex}})
		},
		rdma: true,
	},
}

func storeNamed(name string) (store, error) {
	st, ok := stores[name]
	if !ok {
		return st, fmt.Errorf("store %q is not built yet; works: %s", name, strings.Join(slices.Sorted(maps.Keys(stores)), ", "))
	}
	return st, nil
}

// serveMICA starts a server that is large enough for the workload.
func serveMICA(spec *serverSpec, cpus []int, version string) (server, error) {
	mode, err := partition.ParseMode(spec.Mode)
	if err != nil {
		return nil, err
	}
	access, err := partition.ParseAccess(spec.Access)
	if err != nil {
		return nil, err
	}
	return mica.Start(mica.Config{
		Listen: spec.Listen, Workers: spec.Workers, PartitionsPerWorker: 1,
		Mode: mode, Access: access, Hash: spec.Hash, Pages: offheap.Auto,
		Items:    spec.Keys,
		LogBytes: partition.LogBytesFor(spec.Keys, spec.KeyBytes, spec.ValueBytes, mode, spec.Workers),
		CPUs:     cpus, Version: version,
	})
}

// checkHERD refuses what HERD has no slots or no way for.
func checkHERD(c *Config) error {
	switch need := herd.SlotBytesFor(c.KeyBytes, c.ValueBytes); {
	case c.Batch*c.Window > herd.DefaultWindow:
		return fmt.Errorf("window: found %d batches of %d, allowed: together at most %d requests in flight, which is what herd has slots for",
			c.Window, c.Batch, herd.DefaultWindow)
	case need > herd.MaxSlotBytes:
		return fmt.Errorf("value_bytes: found %d with keys of %d, allowed: what fits a slot of %d bytes of herd",
			c.ValueBytes, c.KeyBytes, herd.MaxSlotBytes)
	case c.Access != partition.EREW.String():
		return fmt.Errorf("access: found %s, allowed: %s, as only its own worker reads a partition of herd", c.Access, partition.EREW)
	}
	return nil
}

// serveHERD does the same over a device.
func serveHERD(spec *serverSpec, cpus []int, version string) (server, error) {
	mode, err := partition.ParseMode(spec.Mode)
	if err != nil {
		return nil, err
	}
	return herd.Start(herd.Config{
		Listen: spec.Listen, Device: spec.Device, DeviceOptions: &provider.Options{GIDIndex: spec.GIDIndex},
		Workers: spec.Workers,
		Mode:    mode, Hash: spec.Hash, Pages: offheap.Auto,
		Items:     spec.Keys,
		LogBytes:  partition.LogBytesFor(spec.Keys, spec.KeyBytes, spec.ValueBytes, mode, spec.Workers),
		SlotBytes: herd.SlotBytesFor(spec.KeyBytes, spec.ValueBytes),
		CPUs:      cpus, Version: version,
	})
}
