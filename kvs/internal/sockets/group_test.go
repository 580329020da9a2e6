package sockets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func (p places) has(place int) bool { return p.after((place+64*len(p)-1)%(64*len(p))) == place }

// TestPlaces compares a set of connections with a search of one after the other.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 200).Draw(t, "connections")
		load := groupLoad{}
		in := make([]bool, size)
		for i := range in {
			if load.join() != i {
				t.Fatal("connections are not numbered as they join")
			}
			if in[i] = rapid.Bool().Draw(t, "in"); !in[i] {
				load.open.remove(i)
			}
		}
		from := rapid.IntRange(0, size-1).Draw(t, "from")
		want := -1
		if turn := slices.Index(slices.Concat(in[from+1:], in[:from+1]), true); turn >= 0 {
			want = (from + 1 + turn) % size
		}
		if found := load.open.after(from); found != want {
			t.Fatalf("after %d of %v: found %d, want %d", from, in, found, want)
		}
	})
}
