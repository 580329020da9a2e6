package load

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dpukv/internal/test/must"
)

func TestFillKey(t *testing.T) {
	for _, c := range []struct {
		index uint64
		want  []byte
	}{
		{0x0102, []byte{2, 1}},
		{0x0102, []byte{2, 1, 0}},
		{0x0807060504030201, []byte{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		got := bytes.Repeat([]byte{0xee}, len(c.want))
		if FillKey(got, c.index); !bytes.Equal(got, c.want) {
			t.Errorf("key %#x is % x, want % x", c.index, got, c.want)
		}
	}
}

// TestFillKeyIsAPrefix: a key of each length starts like the longer ones, and only the index
// decides it.
func TestFillKeyIsAPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index := rapid.Uint64().Draw(t, "index")
		size := rapid.IntRange(1, 255).Draw(t, "size")
		long, short := make([]byte, 255), bytes.Repeat([]byte{0xee}, size)
		FillKey(long, index)
		FillKey(short, index)
		if !bytes.Equal(short, long[:size]) {
			t.Fatalf("key %d of %d bytes is % x, want % x", index, size, short, long[:size])
		}
	})
}

// TestPrefixedKey: the number follows the prefix, and the key keeps its length.
func TestPrefixedKey(t *testing.T) {
	keys := NewKeys(&Workload{KeyBytes: 16, KeyPrefix: "dpukv:"})
	key, number := keys.Fill(7), make([]byte, 10)
	FillKey(number, 7)
	if want := "dpukv:" + string(number); string(key) != want || number[0] != 7 {
		t.Errorf("got key %q, want %q", key, want)
	}
}

// TestKeysOfSeveralSizesAreDistinct: a valid load has as many keys as it says, each with a size of
// its distribution, and none that another one's end makes.
func TestKeysOfSeveralSizesAreDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := usual()
		l.Keys = rapid.IntRange(1, 2000).Draw(t, "keys")
		l.KeyPrefix = rapid.SampledFrom([]string{"", "a", "own:"}).Draw(t, "prefix")
		least := rapid.IntRange(1, 12).Draw(t, "least")
		text := fmt.Sprintf("%d-%d:3+%d:2", least, least+rapid.IntRange(0, 9).Draw(t, "more"),
			rapid.IntRange(least, 255).Draw(t, "other"))
		if err := FieldOf("key_bytes").Set(&l, text); err != nil {
			t.Fatal(err)
		}
		if err := l.Validate(); err != nil {
			if room := least - len(l.KeyPrefix); room > 1 && l.Keys <= 1<<(8*room) {
				t.Fatalf("%d keys of %s with %q: %v", l.Keys, text, l.KeyPrefix, err)
			}
			return
		}
		keys, seen := NewKeys(&l.Workload), map[string]bool{}
		for i := range l.Keys {
			key := string(keys.Fill(uint64(i)))
			if seen[key] || !strings.HasPrefix(key, l.KeyPrefix) || len(key) < l.MinKeyBytes() ||
				len(key) > l.MaxKeyBytes() {
				t.Fatalf("key %d of %s with %q: %q", i, text, l.KeyPrefix, key)
			}
			seen[key] = true
		}
	})
}

// TestSizesOfKeysFollowTheirLaw: also in the keys of each size of values.
func TestSizesOfKeysFollowTheirLaw(t *testing.T) {
	const draws = 200_000
	l := usual()
	must.Do(t, FieldOf("key_bytes").Set(&l, "16:3+20-23:4+255:1"))
	must.Do(t, FieldOf("value_bytes").Set(&l, "10:1+20:1"))
	keys, values := NewKeys(&l.Workload), NewValues(&l.Workload)
	counts, expected := make([]int, 12), make([]float64, 12)
	for i := range uint64(draws) {
		class := map[int]int{16: 0, 20: 1, 21: 2, 22: 3, 23: 4, 255: 5}[len(keys.Fill(i))]
		counts[2*class+values.Size(i, 0)/20]++
	}
	for i, share := range []float64{3, 1, 1, 1, 1, 1} {
		expected[2*i], expected[2*i+1] = share/16*draws, share/16*draws
	}
	if sigmas := chiSquare(counts, expected); sigmas > 4 {
		t.Errorf("%v, expected %v: %.1f sigmas off", counts, expected, sigmas)
	}
}

// TestKeysAreTheSameEverywhere: a client on another machine must make the same keys.
func TestKeysAreTheSameEverywhere(t *testing.T) {
	l, sum := usual(), uint64(0)
	must.Do(t, FieldOf("key_bytes").Set(&l, "8-20:0.1+40:0.7+100-255:0.3"))
	keys := NewKeys(&l.Workload)
	for i := range uint64(10000) {
		for _, b := range keys.Fill(i) {
			sum = mix64(sum ^ uint64(b))
		}
	}
	if want := uint64(0x3ee50ec1dcd3d57f); sum != want {
		t.Errorf("the keys have the digest %#x, want %#x", sum, want)
	}
}

// TestSizesOfKeysAreRefused checks what a load says of keys that are too short.
func TestSizesOfKeysAreRefused(t *testing.T) {
	l := usual()
	l.Keys = 257
	must.Do(t, FieldOf("key_bytes").Set(&l, "1-16"))
	for prefix, want := range map[string]string{
		"":  "keys: found 257; keys of 1 to 16 bytes allows only 256 different keys",
		"a": "key_prefix: found 1 bytes with keys of 1 to 16 bytes, allowed: fewer than the shortest",
	} {
		l.KeyPrefix = prefix
		must.Fail(t, l.Validate(), want)
	}
	for _, text := range []string{"0", "256", "0-16", "16:1+256:1"} {
		if FieldOf("key_bytes").Set(&l, text) == nil {
			t.Errorf("%s was taken", text)
		}
	}
	l.KeySizes, l.KeyBytes, l.KeyPrefix = "16-40", 27, ""
	must.Fail(t, l.Validate(), "key_bytes: found 27 with key_sizes 16-40, allowed: its mean, 28")
}

func BenchmarkKeys(b *testing.B) {
	for _, text := range []string{"8", "16", "16-40", "16:90+40:10"} {
		b.Run(text, func(b *testing.B) {
			l, i := usual(), uint64(0)
			must.Do(b, FieldOf("key_bytes").Set(&l, text))
			keys := NewKeys(&l.Workload)
			b.ReportAllocs()
			for b.Loop() {
				i++
				rankSink += uint64(len(keys.Fill(i)))
			}
		})
	}
}

// TestPrefixAndTTL checks the texts of both fields, and what the load refuses.
func TestPrefixAndTTL(t *testing.T) {
	for _, c := range []struct{ field, text, want string }{
		{"key_prefix", "app:1/", "app:1/"},
		{"key_prefix", "none", "none"},
		{"key_prefix", "{tag}", ""},
		{"key_prefix", "a b", ""},
		{"key_prefix", "", ""},
		{"ttl_ns", "60s", "1m0s"},
		{"ttl_ns", "none", "none"},
		{"ttl_ns", "0s", ""},
		{"ttl_ns", "721h", ""},
		{"ttl_ns", "1500us", ""},
	} {
		if got, err := FieldOf(c.field).Canonical(c.text); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %q: got %q, %v, want %q", c.field, c.text, got, err, c.want)
		}
	}
}
