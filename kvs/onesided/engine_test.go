package onesided

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// TestEngine runs random operations on a table that is far too small against a map. After each one,
// a reader of the key agrees with the map, or asks.
func TestEngine(t *testing.T) {
	for _, mode := range []string{"store", "cache"} {
		for _, inlined := range []string{kvs.InlineYes, kvs.InlineNo} {
			for _, fixed := range []bool{false, true} {
				t.Run(fmt.Sprint(mode, "/inline=", inlined, "/fixed=", fixed), func(t *testing.T) {
					cfg := testConfig()
					cfg.Items, cfg.ValueBytes, cfg.MaxValueBytes, cfg.Mode = 60, 3000, 3000, mode
					cfg.Inline, cfg.FixedSizes, cfg.Neighbourhood = inlined, fixed, 3
					if fixed {
						cfg.ValueBytes = 300
					}
					randomly(t, newRig(t, cfg, "shm", "shm"), mode == "cache")
				})
			}
		}
	}
}

func randomly(t *testing.T, r *rig, lossy bool) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	model := map[string][]byte{}
	counts := [kvs.Illegal + 1]int{}
	out := make([]byte, 0, 4096)
	for n := range 20_000 {
		key := fmt.Appendf(nil, "key %d", rng.IntN(600))
		if rng.IntN(8) == 0 {
			key = append(key, "which is longer than an item's"...)
		}
		op := partition.Op{Code: kvs.Op(1 + rng.IntN(4)), Key: key, Hash: hashOf(key)}
		if op.Code == kvs.Set || op.Code == kvs.Add {
			size := rng.IntN(40)
			if rng.IntN(3) == 0 {
				size = rng.IntN(3000)
			}
			op.Value = bytes.Repeat([]byte{byte(rng.Uint32())}, size)
		}
		was, there := model[string(key)]
		code, value := op.Code, op.Value
		ops := []partition.Op{op}
		r.engine.Execute(ops, out)
		got := ops[0].Status
		counts[got]++
		lost := lossy && there && (got == kvs.NotFound || code == kvs.Add && got == kvs.OK)
		if lost {
			there = false
			delete(model, string(key))
		}
		want := kvs.OK
		switch {
		case got == kvs.Full && value != nil && (code == kvs.Set || !there):
			want = kvs.Full
		case code == kvs.Set || code == kvs.Add && !there:
			model[string(key)] = value
		case code == kvs.Add:
			want = kvs.Exists
		case !there:
			want = kvs.NotFound
		case code == kvs.Delete:
			delete(model, string(key))
		case !bytes.Equal(ops[0].Value, was):
			t.Fatalf("seed %d, operation %d: a GET found %d bytes, want %d", seed, n, len(ops[0].Value), len(was))
		}
		if got != want {
			t.Fatalf("seed %d, operation %d, %s: got %s, want %s", seed, n, code, got, want)
		}
		if len(key) <= KeyBytes && !agrees(t, r, key, model) {
			t.Fatalf("seed %d, operation %d, %s: a reader disagrees", seed, n, code)
		}
	}
	if !lossy && counts[kvs.Full] == 0 || r.asked == 0 || r.counts.Gets == 0 {
		t.Errorf("outcomes %v, %d asked, %d read: something never happened", counts, r.asked, r.counts.Gets)
	}
}

// agrees reports whether READs find what the map has, or ask.
func agrees(t *testing.T, r *rig, key []byte, model map[string][]byte) bool {
	answers := must.Get(r.get([][]byte{key}, nil))(t)
	if len(answers) == 0 {
		return true
	}
	value, there := model[string(key)]
	if !there {
		return answers[0].Status == kvs.NotFound
	}
	return answers[0].Status == kvs.OK && bytes.Equal(answers[0].Value, value)
}

// TestShareWithoutPlace checks the share of keys that find no place at the load that a server has.
func TestShareWithoutPlace(t *testing.T) {
	for neighbourhood, most := range map[int]float64{4: .06, 8: .02, 16: .005} {
		cfg := testConfig()
		cfg.Items, cfg.Neighbourhood, cfg.ValueBytes, cfg.MaxValueBytes = 50_000, neighbourhood, 8, 8
		r := newRig(t, cfg, "shm", "shm")
		for i := range cfg.Items {
			if s := r.do(kvs.Set, fmt.Appendf(nil, "key-%012d", i), []byte("12345678")); s != kvs.OK {
				t.Fatal(s)
			}
		}
		share := 1 - float64(r.engine.table.count)/float64(cfg.Items)
		t.Logf("neighbourhood %d: %.2f %% have no place", neighbourhood, 100*share)
		if share > most {
			t.Errorf("neighbourhood %d: %.4f have no place, want at most %.4f", neighbourhood, share, most)
		}
	}
}
