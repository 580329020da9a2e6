package stores

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/spelling"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/memcached"
	"dpukv/kvs/mica"
	"dpukv/kvs/mica/storehalf"
	"dpukv/kvs/onesided"
	"dpukv/kvs/redis"
)

// table has one line per store. Help and errors name the stores in this order. The first one is the
// default.
var table = []kvs.Store{
	storehalf.With(mica.Store),
	herd.Store,
	onesided.Store,
	memcached.Store,
	redis.Store,
	redis.Valkey,
	redis.Dragonfly,
}

func init() {
	for i := range table {
		kvs.RegisterTitle(&table[i])
	}
}

// All returns the stores, in the order of the table.
func All() []kvs.Store { return slices.Clone(table) }

// Default returns the store that is measured if none is named.
func Default() kvs.Store { return table[0] }

// Names returns the names of all stores.
func Names() []string { return NamesOf(func(*kvs.Store) bool { return true }) }

// NamesOf returns the names of the stores that want accepts.
func NamesOf(want func(*kvs.Store) bool) []string {
	var names []string
	for i := range table {
		if want(&table[i]) {
			names = append(names, table[i].Name)
		}
	}
	return names
}

// Named returns the store with a name.
func Named(name string) (kvs.Store, error) {
	for i := range table {
		if table[i].Name == name {
			return table[i], nil
		}
	}
	return kvs.Store{}, fmt.Errorf("store: found %q%s, allowed: %s", name,
		spelling.Hint(name, Names()), strings.Join(Names(), ", "))
}

// OverVerbs reports whether a verbs device carries the requests of the store with this name.
func OverVerbs(name string) bool {
	return slices.Contains(NamesOf((*kvs.Store).OverVerbs), name)
}
