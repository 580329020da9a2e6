package herd

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// works makes sure that a server still serves.
func works(t *testing.T, server *Server) {
	t.Helper()
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	if a := do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1), Value: value(1, 8)}}); a[0].Status != kvs.OK {
		t.Fatalf("another client: %s", a[0].Status)
	}
}

func frameOf(k kind, body string) []byte {
	b := make([]byte, frameHeaderBytes)
	copy(b, frameMagic)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(body)))
	b[12], b[13] = protocolVersion, byte(k)
	return append(b, body...)
}

// TestGarbage: whatever comes over the side channel, the one it comes from is told, where it can be, and nobody else notices.
func TestGarbage(t *testing.T) {
	server := startServer(t, testConfig())
	greeting := frameOf(kindHello, "{}")
	huge := frameOf(kindHello, "")
	binary.LittleEndian.PutUint32(huge[8:], maxBodyBytes+1)
	older := frameOf(kindHello, "{}")
	older[12] = 9
	with := func(more ...[]byte) []byte { return append(append([]byte(nil), greeting...), join2(more)...) }
	for name, test := range map[string]struct {
		send []byte
		want string
	}{
		"http":            {[]byte("GET / HTTP/1.0\r\n\r\n"), "no dpukv HERD"},
		"a huge frame":    {huge, "at most"},
		"another version": {older, "version 9"},
		"no hello":        {frameOf(kindAsk, "{}"), "want 1"},
		"bad JSON":        {with(frameOf(kindJoin, "{")), "not understood"},
		"no links":        {with(frameOf(kindJoin, `{"slots":4}`)), "queue pairs for 0 workers"},
		"no slots":        {with(frameOf(kindJoin, `{"links":[{},{}]}`)), "0 slots"},
		"odd slots":       {with(frameOf(kindJoin, `{"slots":3,"links":[{},{}]}`)), "3 slots"},
		"too many slots":  {with(frameOf(kindJoin, `{"slots":1048576,"links":[{},{}]}`)), "1048576 slots"},
		"no endpoints":    {with(frameOf(kindJoin, `{"slots":4,"links":[{},{}]}`)), "cannot talk to"},
		"unknown kind":    {with(frameOf(77, "{}")), "kind 77"},
		"two hellos":      {with(greeting), "kind 1"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", server.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(5 * time.Second))
			if _, err := c.Write(test.send); err != nil {
				t.Fatal(err)
			}
			for {
				k, body, err := readFrame(c)
				if err != nil {
					t.Fatalf("no failure frame: %v", err)
				}
				var f failure
				if k == kindFailure && json.Unmarshal(body, &f) == nil {
					if !strings.Contains(f.Error, test.want) {
						t.Errorf("told %q, want %q", f.Error, test.want)
					}
					break
				}
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && err == nil {
				t.Error("the connection goes on")
			}
		})
	}
	works(t, server)
}

func join2(parts [][]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// TestBadSlots: a client that writes nonsense into its slots is told and shown out; its slots are free again.
func TestBadSlots(t *testing.T) {
	cfg := testConfig()
	cfg.MaxClients = 2
	server := startServer(t, cfg)
	for name, spoil := range map[string]func(control) control{
		"operation 0":   func(c control) control { return c &^ (7 << opShift) },
		"operation 7":   func(c control) control { return c | 7<<opShift },
		"long key":      func(c control) control { return c | 0xff<<16 },
		"no key":        func(c control) control { return c &^ (0xff << 16) },
		"long value":    func(c control) control { return c | 0xffff },
		"a GET's value": func(c control) control { return c | 8 },
	} {
		t.Run(name, func(t *testing.T) {
			s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1}).(*session)
			if _, err := s.Submit(&kvs.Request{Op: kvs.Get, Key: key(1), Hash: hashOf(key(1))}); err != nil {
				t.Fatal(err)
			}
			for _, l := range s.links {
				if l.staged() > 0 {
					word := l.control(l.posted & (l.entries - 1))
					*word = spoil(*word)
				}
			}
			err := s.Flush()
			for deadline := time.Now().Add(5 * time.Second); err == nil && time.Now().Before(deadline); {
				_, err = s.Poll(nil, 10*time.Millisecond)
			}
			if err == nil || !strings.Contains(err.Error(), "the server says") {
				t.Errorf("the client hears: %v", err)
			} else {
				t.Log(err)
			}
		})
	}
	works(t, server)
	stats, err := server.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if bad := stats.Workers[0].BadFrames + stats.Workers[1].BadFrames; bad != 6 {
		t.Errorf("%d bad requests counted, want 6", bad)
	}
}

// TestStrangeSequences: a word that no request has written yet is waited behind, and harms nobody.
func TestStrangeSequences(t *testing.T) {
	server := startServer(t, testConfig())
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1}).(*session)
	if _, err := s.Submit(&kvs.Request{Op: kvs.Get, Key: key(1), Hash: hashOf(key(1))}); err != nil {
		t.Fatal(err)
	}
	for _, l := range s.links {
		if l.staged() > 0 {
			*l.control(l.posted & (l.entries - 1)) += 1000 << sequenceShift
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	answers, err := s.Poll(nil, 100*time.Millisecond)
	if err != nil || len(answers) > 0 {
		t.Errorf("%v, %v", answers, err)
	}
	works(t, server)
}

func TestStartRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, change := range map[string]func(*Config){
		"port taken":       func(c *Config) { c.Listen = taken.Addr().String() },
		"no port":          func(c *Config) { c.Listen = "127.0.0.1" },
		"no workers":       func(c *Config) { c.Workers = 0 },
		"no items":         func(c *Config) { c.Items = 0 },
		"small log":        func(c *Config) { c.LogBytes = 100 },
		"no such CPU":      func(c *Config) { c.CPUs = []int{1000} },
		"no hash":          func(c *Config) { c.Hash = "" },
		"no such device":   func(c *Config) { c.Device = "mlx5_0" },
		"no such address":  func(c *Config) { c.Device = "softroce:192.0.2.1" },
		"window":           func(c *Config) { c.Window = 1 << 20 },
		"slots":            func(c *Config) { c.SlotBytes = 60 },
		"slots not padded": func(c *Config) { c.SlotBytes = 100 },
		"clients":          func(c *Config) { c.MaxClients = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig()
			change(&cfg)
			s, err := Start(cfg)
			if err == nil {
				s.Close()
				t.Fatal("was started")
			}
			t.Log(err)
		})
	}
}

func TestDialRefuses(t *testing.T) {
	other := kvstest.Stranger(t, "HTTP/1.0 400 Bad Request\r\n\r\n")
	server := startServer(t, testConfig())
	for _, test := range []struct{ addr, device string }{
		{other, ""},
		{"127.0.0.1:1", ""},
		{"nonsense", ""},
		{server.Addr(), "mlx5_0"},
		{server.Addr(), "softroce:127.0.0.1"},
	} {
		r, err := Dial(t.Context(), test.addr, Options{Device: test.device})
		if err == nil {
			r.Close()
			t.Fatalf("%v was dialled", test)
		}
		t.Log(err)
	}
}

// TestOpenRefuses what would never fit.
func TestOpenRefuses(t *testing.T) {
	cfg := testConfig()
	cfg.Window = 64
	r := dial(t, startServer(t, cfg))
	for _, opts := range []kvs.SessionOptions{
		{},
		{Batch: 65, Window: 1, Connections: 1},
		{Batch: 32, Window: 3, Connections: 1},
		{Batch: 1 << 40, Window: 1 << 40, Connections: 1},
		{Batch: 1, Window: 1},
	} {
		if s, err := r.Open(opts); err == nil {
			s.Close()
			t.Errorf("%+v was opened", opts)
		}
	}
	s := openTest(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	for _, request := range []kvs.Request{
		{Op: kvs.Set, Key: key(1), Value: make([]byte, 33)}, {Op: kvs.Get, Key: make([]byte, 60)}, {Op: kvs.Get},
	} {
		if _, err := s.Submit(&request); err == nil {
			t.Errorf("%s of %d and %d bytes was taken", request.Op, len(request.Key), len(request.Value))
		} else {
			t.Log(err)
		}
	}
	if s.InFlight() != 0 {
		t.Errorf("%d in flight", s.InFlight())
	}
}
