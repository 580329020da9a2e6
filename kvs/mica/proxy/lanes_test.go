package proxy

import (
	"strings"
	"testing"

	"dpukv/kvs"
)

// TestMemoryOfLanes checks that clients share a limit for the memory of their lanes. Whoever would
// exceed it learns why, and smaller lanes still fit.
func TestMemoryOfLanes(t *testing.T) {
	p, err := Start(Config{
		Frames: testFrames, Listen: "127.0.0.1:0", Host: "127.0.0.1", Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.laneBytes.Store(MaxBytes - 32<<20) // as if others had lanes
	client, err := Dial(t.Context(), p.Addr(), kvs.Device{}, "read")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	port := listen(t, echo)
	for range 2 { // the refused lane gives back what it had
		_, err = client.Join(port, 31, 1<<20)
		if err == nil || !strings.Contains(err.Error(), "memory of lanes: found") {
			t.Fatalf("found %v", err)
		}
	}
	l, err := client.Join(port, 3, 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "the memory of the others alone", func() bool {
		return p.laneBytes.Load() == MaxBytes-32<<20 && p.places.Load() == 0
	})
}
