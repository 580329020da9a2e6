package storehalf

import (
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/mica"
)

// TestOnlyLanesStayOpen checks that no connection of an engine waits for its next ask: the store
// half would end it, and the engine would then have no counters.
func TestOnlyLanesStayOpen(t *testing.T) {
	s := startStore(t, 2)
	engine, err := mica.StartEngine(&kvs.ServerConfig{
		Listen: "127.0.0.1:0", StoreAddr: s.Addr(), Workers: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		stats, err := engine.(*mica.Server).Stats()
		if err != nil {
			t.Fatal(err)
		}
		if len(stats.Parts) != 2 || stats.CPUNs != stats.Parts[0].CPUNs+stats.Parts[1].CPUNs {
			t.Errorf("the parts of %d ns are %+v", stats.CPUNs, stats.Parts)
		}
		awaitOpen(t, s, 2)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	awaitOpen(t, s, 0)
}

// startStore starts a store half with as many workers as an engine's threads.
func startStore(t *testing.T, workers int) *Server {
	t.Helper()
	s, err := Start(storeConfig(workers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*Server)
}

func storeConfig(workers int) *kvs.ServerConfig {
	return &kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: workers, Items: 1000, KeyBytes: 8, ValueBytes: 8,
		Hash: mica.Study.Hash, Mode: "cache", Access: "erew",
	}
}

// awaitOpen waits until that many side channels are open.
func awaitOpen(t *testing.T, s *Server, want int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		open := len(s.open)
		s.mu.Unlock()
		if open == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("found %d side channels, want %d", open, want)
		}
	}
}
