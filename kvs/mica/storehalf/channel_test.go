package storehalf

import (
	"errors"
	"net"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/mica"
)

// TestOnlyLanesStayOpen checks that no connection of an engine waits for its next ask: the store
// half would end it, and the engine would then have no counters.
func TestOnlyLanesStayOpen(t *testing.T) {
	s := startStore(t, 2)
	engine := startEngine(t, s, 2)
	for range 3 {
		stats := must.Get(engine.Stats())(t)
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

// TestFullDoor checks that strangers who fill the side channels neither end an engine nor keep its
// asks out, and that a refused ask has no counters.
func TestFullDoor(t *testing.T) {
	for name, says := range map[string]string{
		"silent": "",
		"lanes":  `{"version":1,"want":"lane"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := startStore(t, 1)
			engine := startEngine(t, s, 1)
			r := must.Get(mica.Dial(t.Context(), engine.Addr()))(t)
			defer r.Close()
			for range maxChannels(1) {
				c := must.Get(net.Dial("tcp", s.Addr()))(t)
				defer c.Close()
				must.Get(c.Write([]byte(says)))(t)
			}
			if name == "silent" {
				awaitOpen(t, s, 1+maxChannels(1))
				_, err := r.Stats()
				must.Fail(t, err, "in use")
			}
			for tries := 0; ; tries++ {
				stats, err := engine.Stats()
				if err == nil && len(stats.Parts) == 2 {
					break
				}
				if err == nil || errors.Is(err, net.ErrClosed) || tries > maxChannels(1) {
					t.Fatalf("counters of the parts %+v, %v", stats.Parts, err)
				}
			}
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
			if err := engine.Wait(); err != nil {
				t.Errorf("the engine ended with %v", err)
			}
		})
	}
}

// startStore starts a store half with as many workers as an engine's threads.
func startStore(t *testing.T, workers int) *Server {
	t.Helper()
	return must.Keep(Start(storeConfig(workers)))(t).(*Server)
}

func storeConfig(workers int) *kvs.HalfConfig {
	return &kvs.HalfConfig{ServerConfig: kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: workers, Items: 1000, KeyBytes: 8, ValueBytes: 8,
		Hash: mica.Study.Hash, Setup: kvs.Setup{Mode: "cache", Access: "erew"},
	}}
}

// startEngine starts an engine for a store half.
func startEngine(t *testing.T, s *Server, threads int) *mica.Server {
	t.Helper()
	return must.Keep(mica.StartEngine(engineConfig(s.Addr(), threads)))(t).(*mica.Server)
}

func engineConfig(store string, threads int) *kvs.HalfConfig {
	return &kvs.HalfConfig{
		ServerConfig: kvs.ServerConfig{Listen: "127.0.0.1:0", Workers: threads}, StoreAddr: store,
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
