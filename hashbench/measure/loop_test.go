package measure

import (
	"testing"

	"dpukv/hashbench/result"
)

// A round continues where the last one ended, in both loops.
func TestRoundsGoOn(t *testing.T) {
	for _, mode := range []result.Mode{result.Latency, result.Throughput} {
		in := newInput(result.Case{Mode: mode, MinBytes: 1, MaxBytes: 32}, 1)
		var lengths []uint32
		c := function("note", func(key []byte) uint64 {
			lengths = append(lengths, uint32(len(key)))
			return 0
		})
		for range 3 {
			if _, err := c.Round(in, 100); err != nil {
				t.Fatal(err)
			}
		}
		for i, n := range lengths {
			if n != in.lengths[i] {
				t.Fatalf("%s: call %d has length %d, want %d", mode, i, n, in.lengths[i])
			}
		}
	}
}
