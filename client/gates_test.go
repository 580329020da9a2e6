package client

import (
	"strings"
	"testing"
	"time"
)

// TestWindowGate: a session that keeps a smaller window than it was asked for fails the point.
func TestWindowGate(t *testing.T) {
	for window, want := range map[int]string{
		0: "", 4: "", 8: "", 1: "the session took no more requests with 32 in flight, allowed: 64 or more",
	} {
		if testing.Short() && window > 1 {
			t.Log("a short run: two of the windows")
			continue
		}
		r := newFakeRemote()
		r.latency, r.faults.window = 2*time.Millisecond, window
		leakFree(t, r)
		cfg := smallLoad(t)
		cfg.Keys, cfg.Window, cfg.Requests = 500, 4, 4000 // they are soon there
		for _, cfg.Compute = range []time.Duration{0, 20 * time.Microsecond} {
			_, err := Run(t.Context(), r, cfg)
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("sessions with window %d, compute %v: %v, want %q", window, cfg.Compute,
					err, want)
			}
		}
	}
}

// TestConnectionsGate: a session over TCP with other connections than it was asked for fails the
// point before the preload.
func TestConnectionsGate(t *testing.T) {
	r := newFakeRemote() // one socket for each session
	leakFree(t, r)
	r.facts.Transport = "tcp"
	cfg := smallLoad(t)
	if _, err := Run(t.Context(), r, cfg); err != nil {
		t.Errorf("one connection: %v", err)
	}
	cfg.Connections = 3
	_, err := Run(t.Context(), r, cfg)
	const want = "connections of the session: found 1, allowed: 3 to each of 1 workers"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("three connections: %v, want %q", err, want)
	}
}

// TestSampledMisses: a small number of GETs may miss more often than the mean allows, a large
// number may not. No GET may miss where nothing is lost.
func TestSampledMisses(t *testing.T) {
	for _, test := range []struct {
		gets, misses uint64
		minHitRate   float64
		allowed      bool
	}{
		{92, 1, .99, true},
		{92, 6, .99, false},
		{1_000_000, 10_000, .99, true},
		{1_000_000, 10_500, .99, false},
		{1_000_000, 0, 1, true},
		{1_000_000, 1, 1, false},
		{0, 0, .99, true},
	} {
		if got := float64(test.misses) <= sampledMisses(test.gets, test.minHitRate); got != test.allowed {
			t.Errorf("%d misses of %d GETs, at least %v must hit: allowed is %v, want %v",
				test.misses, test.gets, test.minHitRate, got, test.allowed)
		}
	}
}
