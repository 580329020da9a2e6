//go:build !race

// Under the race detector the heap has the regions, too, and the detector's own words.

package mqueue

import (
	"runtime"
	"testing"
)

// TestBytes: the heap of an end counts, which exceeds the region if slots are small.
func TestBytes(t *testing.T) {
	for name, open := range providers {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Answers: Written, Device: open(t, 0)}
			peer := open(t, 1)
			for _, cfg.Shape = range []Shape{{1024, 64}, {4096, 64}} {
				before := heapBytes()
				owner, mover := laneOf(t, cfg, peer)
				exchange(t, owner, mover, 1)
				took := int(heapBytes()-before) / 2
				runtime.KeepAlive(owner)
				runtime.KeepAlive(mover)
				if most := cfg.Shape.Bytes(); took > most {
					t.Errorf("%v: each end took %d bytes of the heap, want at most %d", cfg.Shape, took, most)
				}
			}
		})
	}
}

func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
