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

	"dpukv/internal/test/port"
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
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func dial(t testing.TB, s *Server) *Remote {
	t.Helper()
	r, err := Dial(context.Background(), s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func openTest(t testing.TB, r *Remote, opts kvs.SessionOptions) kvs.Session {
	t.Helper()
	s, err := r.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func do(t testing.TB, s kvs.Session, requests []kvs.Request) []kvs.Answer {
	t.Helper()
	return kvstest.Do(t, s, city.Hash64, requests)
}

func key(n int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func TestSetThenGet(t *testing.T) {
	for _, access := range []partition.Access{partition.EREW, partition.CREW} {
		for _, connections := range []int{1, 3} {
			t.Run(fmt.Sprint(access, connections), func(t *testing.T) {
				cfg := testConfig()
				cfg.Access = access
				s := openTest(t, dial(t, startServer(t, cfg)),
					kvs.SessionOptions{Batch: 7, Window: 3, Connections: connections})
				const n = 1000
				var sets, gets []kvs.Request
				for i := range n {
					sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(i), Value: make([]byte, i)})
					gets = append(gets, kvs.Request{Op: kvs.Get, Key: key(i)})
				}
				for i, a := range do(t, s, sets) {
					if a.Status != kvs.OK {
						t.Fatalf("set %d: %s", i, a.Status)
					}
				}
				for i, a := range do(t, s, gets) {
					if a.Status != kvs.OK || len(a.Value) != i {
						t.Fatalf("get %d: %s, %d bytes", i, a.Status, len(a.Value))
					}
					if a.SentNs > a.ReceivedNs {
						t.Fatalf("get %d: received before it was sent", i)
					}
				}
			})
		}
	}
}

func TestFactsAndStats(t *testing.T) {
	server := startServer(t, testConfig())
	r := dial(t, server)
	f := r.Facts()
	if f.Store != "mica" || f.Workers != 2 || f.Partitions != 4 || f.Hash != "city64" || f.Mode != "store" ||
		f.Version != "test" || f.MinHitRate != 1 {
		t.Errorf("facts: %+v", f)
	}
	s := openTest(t, r, kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1})
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1)}, {Op: kvs.Get, Key: key(1)}, {Op: kvs.Get, Key: key(2)}})
	stats, err := r.Stats()
	if err != nil {
		t.Fatal(err)
	}
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
	s, err := Start(testConfig())
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := greet(c); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
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
	port, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	cfg := testConfig()
	cfg.Workers, cfg.Listen = 1, fmt.Sprintf("127.0.0.1:%d", port)
	first, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	openTest(t, dial(t, first), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
