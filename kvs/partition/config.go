package partition

import (
	"fmt"
	"math"

	"dpukv/internal/offheap"
	"dpukv/kvs"
)

// Mode decides what a partition does when it has no room left.
type Mode uint8

const (
	// Cache overwrites the oldest item. A full bucket also loses its oldest item.
	Cache Mode = iota
	// Store loses nothing: it answers [kvs.Full].
	Store
)

func (m Mode) String() string {
	if m == Store {
		return "store"
	}
	return "cache"
}

// ParseMode parses the output of [Mode.String].
func ParseMode(s string) (Mode, error) {
	switch s {
	case "cache":
		return Cache, nil
	case "store":
		return Store, nil
	}
	return 0, fmt.Errorf("mode: found %q, allowed: cache, store", s)
}

// MinHitRate returns the smallest share of stored items that a partition of this mode must still
// have, while their number is within its size. The lossy index loses the items beyond a bucket's
// seven: 0.5 % at the load that [New] sizes for.
func (m Mode) MinHitRate() float64 {
	if m == Store {
		return 1
	}
	return .99
}

// Access decides which cores may use a partition.
type Access uint8

const (
	// EREW (exclusive read, exclusive write): one core reads and writes.
	EREW Access = iota
	// CREW (concurrent read, exclusive write): one core writes, any core reads.
	CREW
)

func (a Access) String() string {
	if a == CREW {
		return "crew"
	}
	return "erew"
}

// ParseAccess parses the output of [Access.String].
func ParseAccess(s string) (Access, error) {
	switch s {
	case "erew":
		return EREW, nil
	case "crew":
		return CREW, nil
	}
	return 0, fmt.Errorf("access: found %q, allowed: erew, crew", s)
}

// Config is the shape of a [Table].
type Config struct {
	Mode   Mode
	Access Access
	// Cores is the number of cores that own partitions. PerCore is the number of partitions that
	// each owns.
	Cores, PerCore int
	// Items is the number of items that the index is sized for, over all partitions.
	Items int
	// LogBytes is the room for items, over all partitions; see [LogBytesFor].
	LogBytes int64
	// Pages is the requested kind of memory. The zero value is [offheap.Auto].
	Pages offheap.Pages
}

// These are limits of a [Config].
const (
	MaxPartitions = 1 << 12
	minLogBytes   = 1 << 20
	maxLogBytes   = 1 << 47
	maxItems      = 1 << 32 // per partition: a bucket's number has 32 bits
)

func (c *Config) check() error {
	n := c.Cores * c.PerCore
	switch {
	case c.Cores < 1 || c.PerCore < 1 || n > MaxPartitions:
		return fmt.Errorf("partitions: found %d cores with %d partitions each, allowed: at least "+
			"one of each, and at most %d partitions", c.Cores, c.PerCore, MaxPartitions)
	case c.Items < 1 || c.Items/n >= maxItems:
		return fmt.Errorf("items: found an index for %d in %d partitions, allowed: 1 to %d a "+
			"partition",
			c.Items, n, maxItems-1)
	case c.LogBytes/int64(n) < minLogBytes || c.LogBytes/int64(n) > maxLogBytes:
		return fmt.Errorf("log: found %d bytes in %d partitions, allowed: %d to %d a partition",
			c.LogBytes, n, minLogBytes, maxLogBytes)
	case c.Mode > Store || c.Access > CREW:
		return fmt.Errorf("found mode %d and access %d, which do not exist", c.Mode, c.Access)
	}
	return nil
}

// LogBytesFor returns the size of a log that surely holds the items of one size. It suffices for
// each of the n partitions, although hashing fills some a little more than others.
//
// A [Store] gets the slack that it needs to reclaim space. A [Cache] gets half as much again. The
// reason is a Set of a key that its full bucket had lost: it appends an item. In a log without
// spare room, each such item overwrites one that is still needed, whose next Set appends again.
// With room for half as many dead items as live ones, an append mostly overwrites a dead one. The
// hit rate then stays that of the index.
func LogBytesFor(items, keyBytes, valueBytes int, mode Mode, n int) int64 {
	need := firstOffset + int64(MostOf(items, n))*int64(itemBytes(keyBytes,
		valueBytes)) + maxItemBytes
	if mode == Store {
		need = max(need*8/7+wordBytes, need+minSlack)
	} else {
		need += need / 2
	}
	return max(need, minLogBytes) * int64(n)
}

// LogBytesOf returns the size of the logs of a server's partitions, one for each worker: what the
// configuration says, or room for all items. A [Cache]
// whose values grow also gets room for what each key appends until its item is large enough: its
// log would otherwise overwrite items that are still needed.
func LogBytesOf(c *kvs.ServerConfig, mode Mode) int64 {
	if c.MemoryBytes > 0 {
		return c.MemoryBytes
	}
	const padding = wordBytes - 1 // of each key and value, where the sizes differ
	key, value := c.KeyBytes, c.MaxValueBytes
	if c.MaxKeyBytes > 0 {
		key = min(key+padding, c.MaxKeyBytes)
	}
	if c.FixedSizes {
		value = min(c.ValueBytes+padding, value)
	}
	bytes := LogBytesFor(c.Items, key, value, mode, c.Workers)
	if more := c.GrowthBytes - itemBytes(key, value); mode == Cache && more > 0 {
		bytes += int64(MostOf(c.Items, c.Workers)) * int64(more) * int64(c.Workers)
	}
	return bytes
}

// MostOf returns the number of items that one of n partitions must have room for. Hashing fills
// some partitions more than others; six standard deviations above the mean are enough.
func MostOf(items, n int) int {
	mean := float64(items) / float64(n)
	return int(mean + 6*math.Sqrt(mean) + 1)
}
