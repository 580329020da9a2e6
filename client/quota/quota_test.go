package quota

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestExact: threads of different speeds do exactly the quota's operations.
func TestExact(t *testing.T) {
	for _, operations := range []int{1, 2, 7, 1000, 100_003} {
		for _, threads := range []int{1, 3, 8} {
			q := New(operations, threads)
			var taken, last atomic.Int64
			var all sync.WaitGroup
			for thread := range threads {
				all.Go(func() {
					s := q.Share()
					for now := int64(1); !s.Over(); now++ {
						for range thread + 1 {
							if s.Next() {
								taken.Add(1)
								s.Answered(1, now)
								for was := last.Load(); now > was && !last.CompareAndSwap(was, now); was = last.Load() {
								}
							}
						}
					}
				})
			}
			all.Wait()
			if got := taken.Load(); got != int64(operations) || q.LastNs() != last.Load() {
				t.Errorf("%d operations, %d threads: took %d, the last at %d, want %d",
					operations, threads, got, q.LastNs(), last.Load())
			}
			<-q.Over()
		}
	}
}

// TestOverWaitsForAnswers: a quota that is used up goes on until each operation is answered.
func TestOverWaitsForAnswers(t *testing.T) {
	q := New(2, 2)
	slow, quick := q.Share(), q.Share()
	if !slow.Next() || !quick.Next() || quick.Next() {
		t.Fatal("a quota of 2 has other than 2 operations")
	}
	quick.Answered(1, 10)
	if quick.Over() || slow.Over() || q.LastNs() != 0 {
		t.Error("over before the last answer")
	}
	slow.Answered(1, 30)
	if !slow.Over() || !quick.Over() || q.LastNs() != 30 {
		t.Errorf("not over after the last answer, at %d", q.LastNs())
	}
}
