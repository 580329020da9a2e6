package placement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/mica/partition"
)

// store is how a node serves and dials one kind of store.
type store struct {
	maxBatch int // operations
	serve    func(spec *serverSpec, cpus []int, version string) (server, error)
	dial     func(ctx context.Context, addr string) (kvs.Remote, error)
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
		serve:    serveMICA,
		dial:     func(ctx context.Context, addr string) (kvs.Remote, error) { return mica.Dial(ctx, addr) },
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
