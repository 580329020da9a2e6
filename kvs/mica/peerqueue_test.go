package mica

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// all returns the waiting connections in order.
func (q *peerQueue) all() []*peer { return q.items[q.first:] }

// TestPeerQueue compares a queue with a slice. Its memory follows the highest number of waiting
// items.
func TestPeerQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q peerQueue
		var want []*peer
		most := 0
		for range rapid.IntRange(0, 500).Draw(t, "steps") {
			if len(want) == 0 || rapid.Bool().Draw(t, "add") {
				p := &peer{}
				q.add(p)
				want = append(want, p)
			} else {
				if got := q.remove(); got != want[0] {
					t.Fatal("the wrong one was taken")
				}
				want = want[1:]
			}
			most = max(most, len(want))
			if q.len() != len(want) || !slices.Equal(q.all(), want) {
				t.Fatalf("%d wait, want %d", q.len(), len(want))
			}
			if c := cap(q.items); c > 8*most+8 {
				t.Fatalf("room for %d, where at most %d waited", c, most)
			}
		}
	})
}

// TestPeerQueueAllocates checks that a queue in steady use allocates nothing more.
func TestPeerQueueAllocates(t *testing.T) {
	var q peerQueue
	p := &peer{}
	for range 3 {
		q.add(p)
	}
	if n := testing.AllocsPerRun(1000, func() { q.add(p); q.remove() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
