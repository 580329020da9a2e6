package herd

import (
	"runtime"
	"testing"
	"time"

	"dpukv/kvs"
)

// TestWorkersKeepTheirThreads: the CPU time that a worker tells is of one thread, also if it is not pinned, and so never falls.
func TestWorkersKeepTheirThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	s := startServer(t, testConfig())
	stop := make(chan struct{})
	defer close(stop)
	for range 4 { // would take the threads that the workers yield
		go disturb(stop)
	}
	var before kvs.Stats
	for range 200 {
		now, err := s.Stats()
		if err != nil {
			t.Fatal(err)
		}
		for i := range before.Workers {
			if was, is := before.Workers[i].CPUNs, now.Workers[i].CPUNs; is < was {
				t.Fatalf("worker %d has used %d ns of CPU time, and before it was %d", i, is, was)
			}
		}
		before = now
		time.Sleep(time.Millisecond)
	}
}

// disturb keeps a thread busy half of the time.
func disturb(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Microsecond):
		}
		for end := time.Now().Add(50 * time.Microsecond); time.Now().Before(end); {
		}
	}
}
