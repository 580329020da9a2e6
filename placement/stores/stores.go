package stores

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpukv/client/load"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/memcached"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
	"dpukv/kvs/redis"
	"dpukv/placement/testbed"
)

// Store is how a node serves and dials one kind of store.
type Store struct {
	MaxBatch int       // operations
	Study    kvs.StudyDefaults // for what a sweep leaves open
	Check    func(*Demand) error
	Serve    func(spec *ServerSpec, cpus []int, version string) (Server, error)
	Dial     func(ctx context.Context, spec *DialSpec) (kvs.Remote, error)
	Rdma     bool // carried by a device of the testbed
	// Protocols are those that clients may be told to speak; none: there is one.
	Protocols []string
	// Attach takes a server that runs already for one of ours; nil: a store whose servers are only started here.
	Attach  func(addr string) (Server, error)
	Program func() (string, error) // where the store's program is, if it is not dpukv; nil: it is
}

// ServerSpec says what to start, and how large.
type ServerSpec struct {
	Attach     string       `json:"attach,omitempty"` // the address of a server that runs already: it is not started
	Store      string       `json:"store"`
	Listen     string       `json:"listen"`
	Workers    int          `json:"workers"`
	Keys       int          `json:"keys"`
	KeyBytes   int          `json:"key_bytes"`
	ValueBytes int          `json:"value_bytes"`
	Hash       string       `json:"hash"`
	Mode       string       `json:"mode"`
	Access     string       `json:"access"`
	RDMA       testbed.RDMA `json:"rdma"` // of HERD: the device as provider.Open names it
}

// DialSpec says how a client reaches a server.
type DialSpec struct {
	ServerCPUs []int        `json:"server_cpus,omitempty"` // that it is pinned to, for clients that can't ask it
	Store      string       `json:"store"`
	Protocol   string       `json:"protocol,omitempty"`
	Addr       string       `json:"addr"` // the server's
	RDMA       testbed.RDMA `json:"rdma"` // as in serverSpec
}

// Demand is what a point asks of a store.
type Demand struct {
	load.Load
	Access, Protocol string
}

// Server is a store's server once it accepts load.
type Server interface {
	Addr() string
	Facts() kvs.Facts
	Wait() error // returns when the server has ended
	Close() error
}

var All = map[string]Store{
	"mica": {
		MaxBatch: mica.MaxBatch,
		Study:    mica.Study,
		Check:    checkMICA,
		Serve:    serveMICA,
		Dial:     func(ctx context.Context, spec *DialSpec) (kvs.Remote, error) { return mica.Dial(ctx, spec.Addr) },
	},
	"herd": {
		MaxBatch: herd.DefaultWindow,
		Study:    herd.Study,
		Check:    checkHERD,
		Serve:    serveHERD,
		Dial: func(ctx context.Context, spec *DialSpec) (kvs.Remote, error) {
			return herd.Dial(ctx, spec.Addr, herd.Options{Device: spec.RDMA.Device, DeviceOptions: &spec.RDMA.Options})
		},
		Rdma: true,
	},
	"memcached": {
		MaxBatch: memcached.MaxBatch,
		Study:    memcached.Study, Protocols: memcached.Protocols,
		Check: checkMemcached,
		Serve: func(spec *ServerSpec, cpus []int, _ string) (Server, error) {
			return memcached.Start(spec.installed(cpus))
		},
		Attach:  func(addr string) (Server, error) { return memcached.Attach(addr) },
		Program: memcached.Installed,
		Dial: func(ctx context.Context, spec *DialSpec) (kvs.Remote, error) {
			return memcached.Dial(ctx, spec.Addr, memcached.Options{CPUs: spec.ServerCPUs, Protocol: spec.Protocol})
		},
	},
	"redis": {
		MaxBatch: redis.MaxBatch,
		Study:    redis.Study, Protocols: redis.Protocols,
		Check: checkRedis,
		Serve: func(spec *ServerSpec, cpus []int, _ string) (Server, error) {
			return redis.Start(spec.installed(cpus))
		},
		Attach:  func(addr string) (Server, error) { return redis.Attach(addr) },
		Program: redis.Installed,
		Dial: func(ctx context.Context, spec *DialSpec) (kvs.Remote, error) {
			return redis.Dial(ctx, spec.Addr, redis.Options{CPUs: spec.ServerCPUs, Protocol: spec.Protocol})
		},
	},
}

// Server starts one, or takes the one that there is.
func (st *Store) Server(spec *ServerSpec, cpus []int, version string) (Server, error) {
	if spec.Attach == "" {
		return st.Serve(spec, cpus, version)
	}
	if st.Attach == nil {
		return nil, fmt.Errorf("attach to %s: servers of %s are only started here", spec.Attach, spec.Store)
	}
	return st.Attach(spec.Attach)
}

func Named(name string) (Store, error) {
	st, ok := All[name]
	if !ok {
		return st, fmt.Errorf("store %q is not built yet; works: %s", name, strings.Join(slices.Sorted(maps.Keys(All)), ", "))
	}
	return st, nil
}

// checkMICA refuses what no partition of MICA does.
func checkMICA(c *Demand) error {
	if _, err := partition.ParseAccess(c.Access); err != nil {
		return fmt.Errorf("access: %w", err)
	}
	return nil
}

// serveMICA starts a server that is large enough for the workload.
func serveMICA(spec *ServerSpec, cpus []int, version string) (Server, error) {
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
func checkHERD(c *Demand) error {
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
func serveHERD(spec *ServerSpec, cpus []int, version string) (Server, error) {
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
