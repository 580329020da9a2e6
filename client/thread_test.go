package client

import "testing"

// TestVersionsAreUnique: two threads never use the same version, within a client or across two.
func TestVersionsAreUnique(t *testing.T) {
	cfg := smallLoad(t)
	cfg.Threads, cfg.AllThreads = 3, 6
	seen := map[uint32]bool{0: true} // the preload's
	for i := range cfg.AllThreads {
		cfg.FirstThread = i / 3 * 3 // of two clients
		w := newThread(i%3, &cfg, "", nil)
		for range 1000 {
			v := w.nextVersion(uint64(i))
			if seen[v] {
				t.Fatalf("version %d is used twice", v)
			}
			seen[v] = true
		}
	}
}
