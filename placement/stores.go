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
	"dpukv/kvs/memcached"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
	"dpukv/kvs/redis"
)

// store is how a node serves and dials one kind of store.
type store struct {
	maxBatch int               // operations
	study    kvs.StudyDefaults // for what a sweep leaves open
	check    func(*Config) error
	serve    func(spec *serverSpec, cpus []int, version string) (server, error)
	dial     func(ctx context.Context, spec *clientSpec) (kvs.Remote, error)
	rdma     bool // carried by a device of the testbed
	// protocols are those that clients may be told to speak; none: there is one.
	protocols []string
	// attach takes a server that runs already for one of ours; nil: a store whose servers are only started here.
	attach  func(addr string) (server, error)
	program func() (string, error) // where the store's program is, if it is not dpukv; nil: it is
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
		check:    checkMICA,
		serve:    serveMICA,
		dial:     func(ctx context.Context, spec *clientSpec) (kvs.Remote, error) { return mica.Dial(ctx, spec.Addr) },
	},
	"herd": {
		maxBatch: herd.DefaultWindow,
		study:    herd.Study,
		check:    checkHERD,
		serve:    serveHERD,
		dial: func(ctx context.Context, spec *clientSpec) (kvs.Remote, error) {
			return herd.Dial(ctx, spec.Addr, herd.Options{Device: spec.RDMA.Device, DeviceOptions: &spec.RDMA.Options})
		},
		rdma: true,
	},
	"memcached": {
		maxBatch: memcached.MaxBatch,
		study:    memcached.Study, protocols: memcached.Protocols,
		check: checkMemcached,
		serve: func(spec *serverSpec, cpus []int, _ string) (server, error) {
			return memcached.Start(spec.installed(cpus))
		},
		attach:  func(addr string) (server, error) { return memcached.Attach(addr) },
		program: memcached.Installed,
		dial: func(ctx context.Context, spec *clientSpec) (kvs.Remote, error) {
			return memcached.Dial(ctx, spec.Addr, memcached.Options{CPUs: spec.ServerCPUs, Protocol: spec.Protocol})
		},
	},
	"redis": {
		maxBatch: redis.MaxBatch,
		study:    redis.Study, protocols: redis.Protocols,
		check: checkRedis,
		serve: func(spec *serverSpec, cpus []int, _ string) (server, error) {
			return redis.Start(spec.installed(cpus))
		},
		attach:  func(addr string) (server, error) { return redis.Attach(addr) },
		program: redis.Installed,
		dial: func(ctx context.Context, spec *clientSpec) (kvs.Remote, error) {
			return redis.Dial(ctx, spec.Addr, redis.Options{CPUs: spec.ServerCPUs, Protocol: spec.Protocol})
		},
	},
}

// server starts one, or takes the one that there is.
func (st *store) server(spec *serverSpec, cpus []int, version string) (server, error) {
	if spec.Attach == "" {
		return st.serve(spec, cpus, version)
	}
	if st.attach == nil {
		return nil, fmt.Errorf("attach to %s: servers of %s are only started here", spec.Attach, spec.Store)
	}
	return st.attach(spec.Attach)
}

func storeNamed(name string) (store, error) {
	st, ok := stores[name]
	if !ok {
		return st, fmt.Errorf("store %q is not built yet; works: %s", name, strings.Join(slices.Sorted(maps.Keys(stores)), ", "))
	}
	return st, nil
}

// checkMICA refuses what no partition of MICA does.
func checkMICA(c *Config) error {
	if _, err := partition.ParseAccess(c.Access); err != nil {
		return fmt.Errorf("access: %w", err)
	}
	return nil
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
		Listen: spec.Listen, Device: spec.RDMA.Device, DeviceOptions: &spec.RDMA.Options,
		Workers: spec.Workers,
		Mode:    mode, Hash: spec.Hash, Pages: offheap.Auto,
		Items:     spec.Keys,
		LogBytes:  partition.LogBytesFor(spec.Keys, spec.KeyBytes, spec.ValueBytes, mode, spec.Workers),
		SlotBytes: herd.SlotBytesFor(spec.KeyBytes, spec.ValueBytes),
		CPUs:      cpus, Version: version,
	})
}
