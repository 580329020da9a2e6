package hashbench

import (
	"fmt"
	"strings"
)

// Default is the function of MICA and of the study.
const Default = "city64"

// Func is one named hash function.
type Func struct {
	Name   string
	Bits   int    // of the function itself: 32, 64 or 128
	Module string // where the code comes from
	// Sum64 hashes a key to 64 bits that all vary. It keeps no reference
	// to the key and may be called from any goroutine.
	Sum64 func(key []byte) uint64
}

const (
	cityModule   = "github.com/go-faster/city v1.0.1"
	murmurModule = "github.com/twmb/murmur3 v1.2.2"
	xxhashModule = "github.com/cespare/xxhash/v2 v2.3.0"
	xxh3Module   = "github.com/zeebo/xxh3 v1.1.0"
	farmModule   = "github.com/dgryski/go-farm v0.0.0-20240924180020-3414d57e47da"
	ownModule    = "dpukv/hashbench"
	stdModule    = "hash/crc32"
)

// registry is in the order in which names are listed: families together.
var registry = []Func{
	{"city32", 32, cityModule, city32},
	{"city64", 64, cityModule, city64},
	{"city128", 128, cityModule, city128},
	{"murmur3-32", 32, murmurModule, murmur32},
	{"murmur3-128", 128, murmurModule, murmur128},
	{"xxh64", 64, xxhashModule, xxh64},
	{"xxh3-64", 64, xxh3Module, xxh364},
	{"farm32", 32, farmModule, farm32},
	{"farm64", 64, farmModule, farm64},
	{"fnv1a-32", 32, ownModule, fnv1a32},
	{"fnv1a-64", 64, ownModule, fnv1a64},
	{"crc32c", 32, stdModule, crc32c},
}

// Lookup finds a function by its name.
func Lookup(name string) (Func, error) {
	for _, f := range registry {
		if f.Name == name {
			return f, nil
		}
	}
	return Func{}, fmt.Errorf("hash function %q is unknown; known are %s", name, strings.Join(Names(), ", "))
}

// Names lists the functions that [Lookup] knows.
func Names() []string {
	names := make([]string, len(registry))
	for i, f := range registry {
		names[i] = f.Name
	}
	return names
}
