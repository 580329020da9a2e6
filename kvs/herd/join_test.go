package herd

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestClientsComeAndGo checks that slots are limited, and that the slots of clients that left
// become free, whether they left in order or not.
func TestClientsComeAndGo(t *testing.T) {
	cfg := testConfig()
	cfg.MaxClients = 3
	server := startServer(t, cfg)
	r := dial(t, server)
	opts := kvs.SessionOptions{Batch: 8, Window: 2, Connections: 3}
	for i := range 20 {
		s := openTest(t, r, opts)
		do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(i), Value: value(i, 9)}})
		if i%2 == 0 { // in the middle of something
			for j := range 5 {
				must.Get(s.Submit(&kvs.Request{Op: kvs.Get, Key: key(j), Hash: hashOf(key(j))}))(t)
			}
			_ = s.Flush()
		}
		_, err := r.Open(opts)
		must.Fail(t, err, "all 3 clients")
		must.Do(t, s.Close())
		awaitConnections(t, server, 0)
	}
}

// awaitConnections waits until each worker has so many.
func awaitConnections(t *testing.T, server *Server, want uint64) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		stats := must.Get(server.Stats())(t)
		server.mu.Lock()
		seated := server.slotHolders
		server.mu.Unlock()
		if stats.Workers[0].Connections == want && stats.Workers[1].Connections == want && seated == int(want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d and %d connections, %d seats: want %d", stats.Workers[0].Connections,
				stats.Workers[1].Connections, seated, want)
		}
	}
}

// TestServerGone checks that a session soon reports the end of its server.
func TestServerGone(t *testing.T) {
	server := startServer(t, testConfig())
	r := dial(t, server)
	s := openTest(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 2})
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1)}})
	must.Do(t, server.Close())
	must.Get(s.Submit(&kvs.Request{Op: kvs.Get, Key: key(1), Hash: hashOf(key(1))}))(t)
	var err error
	for deadline := time.Now().Add(5 * time.Second); err == nil; _, err = s.Poll(nil, 10*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no error")
		}
	}
	t.Log(err)
	if _, err := r.Stats(); err == nil {
		t.Error("a closed server has counters")
	}
	if err := server.Wait(); err != nil {
		t.Errorf("closed by its owner: %v", err)
	}
}

// TestBackPressure checks that a session takes its window and one more list, and then nothing.
func TestBackPressure(t *testing.T) {
	cfg := testConfig()
	cfg.Workers = 1
	server := startServer(t, cfg)
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 3, Connections: 2})
	stands, release := make(chan struct{}), make(chan struct{})
	go server.workers[0].do(func() { close(stands); <-release })
	<-stands
	taken := 0
	next := func() *kvs.Request {
		return &kvs.Request{Op: kvs.Set, Key: key(taken), Hash: hashOf(key(taken)), Cookie: uint64(taken)}
	}
	for must.Get(s.Submit(next()))(t) {
		taken++
	}
	if want := 2 * (4*3 + 4); taken != want || s.InFlight() != want {
		t.Errorf("%d taken, %d in flight: want %d", taken, s.InFlight(), want)
	}
	if got := s.Traffic().Frames; got != 6 {
		t.Errorf("%d lists sent, want 6", got)
	}
	close(release)
	got := 0
	for deadline := time.Now().Add(5 * time.Second); got < taken && time.Now().Before(deadline); {
		got += len(must.Get(s.Poll(nil, time.Second))(t))
	}
	if got != taken || s.InFlight() != 0 {
		t.Errorf("%d answers to %d requests, %d in flight", got, taken, s.InFlight())
	}
}

// TestSequencesWrap checks that request numbers overflow 29 bits, and 32 bits, without effect.
func TestSequencesWrap(t *testing.T) {
	for _, first := range []uint32{1<<sequenceBits - 64, 1<<32 - 64} {
		cfg := testConfig()
		cfg.Workers = 1
		server := startServer(t, cfg)
		s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1}).(*session)
		l := s.links[0]
		l.oldest, l.posted, l.next = first, first, first
		server.workers[0].do(func() { server.workers[0].inboxes[0].next = first })
		operations(t, s, 0)
	}
}
