package mica

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/partition"

	"github.com/go-faster/city"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func testConfig() Config {
	return Config{
		Listen: "127.0.0.1:0", Workers: 2, PartitionsPerWorker: 2, Mode: partition.Store, Access: partition.EREW,
		Items: 100_000, LogBytes: 16 << 20, Hash: "city64", Version: "test",
	}
}

func startServer(t testing.TB, cfg Config) *Server {
	t.Helper()
	return must.Keep(Start(cfg))(t)
}

func dial(t testing.TB, s *Server) *Remote {
	t.Helper()
	return must.Keep(Dial(context.Background(), s.Addr()))(t)
}

func do(t testing.TB, s kvs.Session, requests []kvs.Request) []kvs.Answer {
	t.Helper()
	return kvstest.Do(t, s, city.Hash64, requests)
}

func key(n int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func TestFactsAndStats(t *testing.T) {
	server := startServer(t, testConfig())
	r := dial(t, server)
	f := r.Facts()
	if f.Store != "mica" || f.Workers != 2 || f.Partitions != 4 || f.Hash != "city64" || f.Mode != "store" ||
		f.Version != "test" || f.MinHitRate != 1 {
		t.Errorf("facts: %+v", f)
	}
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1})
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1)}, {Op: kvs.Get, Key: key(1)}, {Op: kvs.Get, Key: key(2)}})
	stats := must.Get(r.Stats())(t)
	var gets, hits, items uint64
	for _, w := range stats.Workers {
		gets, hits, items = gets+w.Gets, hits+w.Hits, items+w.Items
	}
	if stats.Ops() != 3 || gets != 2 || hits != 1 || items != 1 || stats.CPUNs <= 0 {
		t.Errorf("stats: %+v", stats)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s := must.Get(Start(testConfig()))(t)
	c := must.Get(net.Dial("tcp", s.Addr()))(t)
	defer c.Close()
	must.Get(greet(c))(t)
	must.Do(t, s.Close())
	if err := s.Wait(); err != nil {
		t.Errorf("Wait after Close: %v", err)
	}
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("a connection to a closed server: %v", err)
	}
}

// TestTakenPort checks that the error states the reason, and names the worker and its address.
func TestTakenPort(t *testing.T) {
	first := startServer(t, testConfig())
	cfg := testConfig()
	cfg.Listen, cfg.Workers = first.Addr(), 1
	second, err := Start(cfg)
	if err == nil {
		second.Close()
		t.Fatal("two servers on one port")
	}
	if !errors.Is(err, unix.EADDRINUSE) || !strings.Contains(err.Error(), first.Addr()) {
		t.Errorf("found %q, want that %s is in use", err, first.Addr())
	}
}

// TestPortAfterRestart checks that a server's closed connections do not block its port for a new
// server.
func TestPortAfterRestart(t *testing.T) {
	port := must.Get(programs.FreePort())(t)
	cfg := testConfig()
	cfg.Workers, cfg.Listen = 1, fmt.Sprintf("127.0.0.1:%d", port)
	first := must.Get(Start(cfg))(t)
	kvstest.Open(t, dial(t, first), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	must.Do(t, first.Close())
	second := must.Get(Start(cfg))(t)
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
