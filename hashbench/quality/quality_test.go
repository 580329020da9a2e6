package quality

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"dpukv/hashbench"
	"dpukv/internal/test/must"
)

func find(t *testing.T, name string) hashbench.Func {
	t.Helper()
	return must.Get(hashbench.Find(name))(t)
}

// identity is the worst function that still keeps keys apart. It must not pass.
var identity = hashbench.Func{Name: "identity", Sum64: binary.LittleEndian.Uint64}

func TestAvalanche(t *testing.T) {
	good := Avalanche(find(t, "xxh3-64"), Random, 8, 2000, 1)
	if good.Worst > 2*good.Chance || good.Mean > good.Chance {
		t.Errorf("XXH3: %+v", good)
	}
	if bad := Avalanche(identity, Random, 8, 100, 1); bad.Worst != 1 || bad.Mean != 1 {
		t.Errorf("identity: %+v, want a bias of 1 everywhere", bad)
	}
}

func TestOverflow(t *testing.T) {
	const buckets = 4096
	for _, keys := range []Keys{Sequential, Random} {
		for _, load := range Loads() {
			got, want := Overflow(find(t, "city64"), keys, 8, buckets, load, 1), Expected(load)
			if math.Abs(got-want) > tolerance*deviation(want, buckets) {
				t.Errorf("city64, %s keys at load %v: %v of the buckets overflow, of a random function %v", keys, load,
					got, want)
			}
		}
	}
	// Small numbers have only zeros in bits 16 to 47: all keys fall into the first bucket.
	if got := Overflow(identity, Sequential, 8, buckets, 1, 1); got != 1.0/buckets {
		t.Errorf("identity: %v", got)
	}
}

func TestExpected(t *testing.T) {
	// P(Poisson(7) > 7), from tables.
	if got := Expected(1); math.Abs(got-0.4013) > 0.0001 {
		t.Errorf("%v", got)
	}
	if !slices.IsSorted([]float64{Expected(0.5), Expected(1), Expected(1.5)}) {
		t.Error("a fuller table overflows less")
	}
}

func TestRunNamesTheBad(t *testing.T) {
	bad := identity
	r := must.Get(Run(context.Background(), []hashbench.Func{find(t, "city64"), bad}, Quick))(t)
	var out bytes.Buffer
	must.Do(t, r.WriteTable(&out))
	for _, row := range r.Rows {
		if (len(row.Warnings) > 0) != (row.Function == "identity") {
			t.Errorf("%s, %d B %s: warnings %q", row.Function, row.KeyBytes, row.Keys, row.Warnings)
		}
	}
	must.Contain(t, out.String(),
		"(random)", "city64", "8 B sequential",
		"- identity, 8 B sequential: a bit of the hash follows a bit of the key with a bias of 1.00",
	)
}

func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, hashbench.All(), Default); err == nil {
		t.Error("went on")
	}
}
