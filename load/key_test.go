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
