package partition

import (
	"fmt"
	"slices"
	"testing"

	"dpukv/kvs"

	"pgregory.net/rapid"
)

// TestLocate checks that the assembly finds what the Go code finds, in partitions of this core and
// of others, with chains and with hashes that share a bucket or a tag.
func TestLocate(t *testing.T) {
	for _, cores := range []int{1, 3} {
		for _, mode := range []Mode{Cache, Store} {
			table := newTable(t, Config{
				Mode: mode, Access: CREW, Cores: cores, PerCore: 2, Items: 600, LogBytes: 64 << 20,
			})
			t.Run(fmt.Sprintf("%s, %d cores", mode, cores), rapid.MakeCheck(func(t *rapid.T) {
				table.reset()
				hash := rapid.Custom(crowdedHash)
				for _, h := range rapid.SliceOfN(hash, 1, 1000).Draw(t, "stored") {
					set := []Op{{Code: kvs.Set, Hash: h, Key: fmt.Appendf(nil, "%x", h)}}
					table.Core(table.partition(h).owner).Execute(set, nil)
				}
				asked := make([]Op, 0, Depth)
				for _, h := range rapid.SliceOfN(hash, 0, Depth).Draw(t, "asked") {
					asked = append(asked, Op{Hash: h})
				}
				reach := wordBytes * rapid.IntRange(0, maxFetch/wordBytes).Draw(t, "reach")
				checkLocated(t, table.Core(cores-1), asked, reach)
			}))
		}
	}
}

// crowdedHash is a hash of few buckets and tags, tag 0 among them.
func crowdedHash(t *rapid.T) uint64 {
	return rapid.Uint64Range(0, 1<<16-1).Draw(t, "partition")<<48 |
		rapid.Uint64Range(0, 1<<4-1).Draw(t, "bucket")<<44 |
		rapid.SampledFrom([]uint64{0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff}).Draw(t, "tag")
}

func checkLocated(t *rapid.T, c *Core, ops []Op, reach int) {
	n := len(ops)
	addrs, wantAddrs := make([]uintptr, n), make([]uintptr, n)
	offsets, want := make([]uint64, n), make([]uint64, n)
	versions, wantVersions := make([]uint32, n), make([]uint32, n)
	locateBuckets(ops, c.places, addrs)
	bucketsInGo(ops, c.places, wantAddrs)
	if !slices.Equal(addrs, wantAddrs) {
		t.Fatalf("buckets: found %x, want %x", addrs, wantAddrs)
	}
	locateItems(ops, c.places, addrs, offsets, versions, reach)
	itemsInGo(ops, c.places, wantAddrs, want, wantVersions, reach)
	if !slices.Equal(offsets, want) {
		t.Fatalf("items: found %x, want %x", offsets, want)
	}
	if !slices.Equal(versions, wantVersions) {
		t.Fatalf("versions: found %v, want %v", versions, wantVersions)
	}
}
