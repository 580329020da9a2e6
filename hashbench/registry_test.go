package hashbench

import (
	"math/bits"
	"strings"
	"testing"
)

// sink keeps the compiler from dropping unused hashes.
var sink uint64

func TestLookup(t *testing.T) {
	for _, name := range Names() {
		f, err := Lookup(name)
		if err != nil || f.Name != name || f.Sum64 == nil || f.Module == "" {
			t.Errorf("Lookup(%q) = %+v, %v", name, f, err)
		}
		if f.Bits != 32 && f.Bits != 64 && f.Bits != 128 && f.Bits != 256 {
			t.Errorf("%s has %d bits", name, f.Bits)
		}
	}
	if _, err := Lookup(Default); err != nil {
		t.Error(err)
	}
}

func TestLookupUnknownListsNames(t *testing.T) {
	_, err := Lookup("city46")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range append(Names(), `"city46"`) {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

// Every one of the 64 bits must vary from key to key, or tags, buckets and partitions are not
// spread. Over 4,096 keys, a fair bit is set 2,048 ± 32 (one sigma) times. The bound is loose,
// because FNV-1a is no good mixer.
func TestAllBitsVary(t *testing.T) {
	const keys = 4096
	for _, f := range registry {
		var set [64]int
		for i := range keys {
			h := f.Sum64([]byte{byte(i), byte(i >> 8), 0, 0, 0, 0, 0, 0})
			for ; h != 0; h &= h - 1 {
				set[bits.TrailingZeros64(h)]++
			}
		}
		for bit, n := range set {
			if n < keys/4 || n > keys*3/4 {
				t.Errorf("%s: bit %d is set for %d of %d keys", f.Name, bit, n, keys)
			}
		}
	}
}

func TestSum64DoesNotAllocate(t *testing.T) {
	key := []byte("sixteen byte key")
	for _, f := range registry {
		if n := testing.AllocsPerRun(100, func() { sink += f.Sum64(key) }); n != 0 {
			t.Errorf("%s allocates %v times a key", f.Name, n)
		}
	}
}

// unwiden inverts Widen, which proves that Widen is a bijection of 64-bit words.
func unwiden(x uint64) uint64 {
	x ^= x>>31 ^ x>>62
	x *= inverse(0x94d049bb133111eb)
	x ^= x>>27 ^ x>>54
	x *= inverse(0xbf58476d1ce4e5b9)
	x ^= x>>30 ^ x>>60
	return x - 0x9e3779b97f4a7c15
}

// inverse of an odd number modulo 2⁶⁴, by Newton's iteration.
func inverse(a uint64) uint64 {
	x := a
	for range 6 {
		x *= 2 - a*x
	}
	return x
}

func FuzzWidenIsInjective(f *testing.F) {
	for _, seed := range []uint32{0, 1, 1 << 31, 1<<32 - 1, 0xdeadbeef} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, h uint32) {
		if back := unwiden(Widen(h)); back != uint64(h) {
			t.Fatalf("Widen(%#x) came from %#x", h, back)
		}
	})
}

func TestCost(t *testing.T) {
	f, _ := Lookup(Default)
	short, long := Cost(f, 8), Cost(f, 65536)
	if short <= 0 || long <= 0 {
		t.Fatalf("costs are %v and %v ns", short, long)
	}
	if long < 10*short {
		t.Errorf("a key of 64 KiB costs %v ns, one of 8 B %v ns", long, short)
	}
}

func BenchmarkSum64(b *testing.B) {
	key := []byte("8 bytes.")
	for _, f := range registry {
		b.Run(f.Name, func(b *testing.B) {
			for b.Loop() {
				key[0]++
				sink += f.Sum64(key)
			}
		})
	}
}
