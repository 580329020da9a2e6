package load

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
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
	w := Workload{KeyBytes: 16, KeyPrefix: "dpukv:"}
	key, number := w.NewKey()
	FillKey(number, 7)
	want := append([]byte("dpukv:"), number...)
	if len(key) != 16 || len(number) != 10 || number[0] != 7 || !bytes.Equal(key, want) {
		t.Errorf("key %q, number %q", key, number)
	}
}

// TestPrefixAndTTL checks the texts of both fields, and what the load refuses.
func TestPrefixAndTTL(t *testing.T) {
	fields := map[string]Field{}
	for _, f := range Fields() {
		fields[f.Name] = f
	}
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
		f := fields[c.field]
		if got, err := f.Canonical(c.text); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %q: got %q, %v, want %q", c.field, c.text, got, err, c.want)
		}
	}
}
