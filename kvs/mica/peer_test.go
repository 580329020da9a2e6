package mica

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/partition"

	"github.com/go-faster/city"
)

// testTimeout is the limit for certain events: far more than they take on a busy machine.
const testTimeout = 30 * time.Second

// requestFrame is a legal frame of one Set.
func requestFrame(key, value []byte) []byte {
	b := appendRequest(make([]byte, headerBytes), kvs.Set, 1, key, value)
	putHeader(b, header{bytes: len(b), kind: kindRequest, count: 1, sequence: 1})
	return b
}

func changed(frame []byte, at int, bytes ...byte) []byte {
	f := append([]byte(nil), frame...)
	copy(f[at:], bytes)
	return f
}

// badStreams are what no client should send.
func badStreams() map[string][]byte {
	good, hello := requestFrame([]byte("key"), []byte("value")), helloFrame()
	random := make([]byte, 4096)
	rng := rand.NewChaCha8([32]byte{})
	rng.Read(random)
	afterHello := func(frames ...[]byte) []byte {
		return append(bytes.Clone(hello), bytes.Join(frames, nil)...)
	}
	return map[string][]byte{
		"another version":         changed(hello, 4, 9),
		"no hello":                good,
		"wrong magic":             changed(hello, headerBytes, 'x'),
		"two hellos":              afterHello(hello),
		"shorter than its header": afterHello(changed(good, 0, 15, 0, 0, 0)),
		"longer than the limit":   afterHello(changed(good, 0, 0, 0, 0, 0xff)),
		"too many operations":     afterHello(changed(good, 6, 0xff, 0xff)),
		"count too high":          afterHello(changed(good, 6, 2)),
		"count too low":           afterHello(changed(good, 6, 0)),
		"no key":                  afterHello(changed(good, headerBytes+1, 0)),
		"key beyond the frame":    afterHello(changed(good, headerBytes+1, 200)),
		"value beyond the frame":  afterHello(changed(good, headerBytes+2, 0xff, 0xff)),
		"unknown operation":       afterHello(changed(good, headerBytes, 77)),
		"a get with a value":      afterHello(changed(good, headerBytes, byte(kvs.Get))),
		"reserved bits":           afterHello(changed(good, headerBytes+5, 1)),
		"unknown kind":            afterHello(changed(good, 5, 200)),
		"an answer":               afterHello(changed(good, 5, byte(kindAnswer))),
		"an ask with a body":      afterHello(control(kindAsk, 1, make([]byte, 8))),
		"good, then bad":          afterHello(good, changed(good, headerBytes, 0)),
		"random bytes":            random,
		"hello, then random":      afterHello(random),
	}
}

// TestBadFrames checks that the connection receives the reason and ends, and that another client
// continues.
func TestBadFrames(t *testing.T) {
	server := startServer(t, testConfig())
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	for name, bytes := range badStreams() {
		t.Run(name, func(t *testing.T) {
			c := dialRaw(t, server)
			_, _ = c.Write(bytes) // may fail once the server has had enough
			c.wantFailure("")
			n := rand.IntN(1000)
			got := do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(n), Value: []byte("v")}, {Op: kvs.Get, Key: key(n)}})
			if got[1].Status != kvs.OK || string(got[1].Value) != "v" {
				t.Errorf("another client: %+v", got[1])
			}
		})
	}
}

// TestCutShort checks that an incomplete frame, and a client that leaves in the middle of one,
// disturb nobody.
func TestCutShort(t *testing.T) {
	server := startServer(t, testConfig())
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	frame := append(control(kindHello, 0, []byte(magic)), requestFrame([]byte("k"), make([]byte, 60000))...)
	for _, cut := range []int{1, headerBytes, 30, 60, len(frame) - 1} {
		c := must.Get(net.Dial("tcp", server.Addr()))(t)
		must.Get(c.Write(frame[:cut]))(t)
		c.(*net.TCPConn).SetLinger(0) // a reset, as from a client that was killed
		c.Close()
	}
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1)}})
	stats := must.Get(server.Stats())(t)
	if items := stats.Workers[0].Items + stats.Workers[1].Items; items != 1 {
		t.Errorf("%d items, want only the whole frame's", items)
	}
}

// TestThousandIdleConnections: they cost nobody anything.
func TestThousandIdleConnections(t *testing.T) {
	server := startServer(t, testConfig())
	for range 1000 {
		c := must.Get(net.Dial("tcp", server.Addr()))(t)
		defer c.Close()
	}
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 16, Window: 2, Connections: 2})
	var sets []kvs.Request
	for i := range 500 {
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(i), Value: key(i)})
	}
	for i, a := range do(t, s, sets) {
		if a.Status != kvs.OK {
			t.Fatalf("set %d: %s", i, a.Status)
		}
	}
}

// TestTooManyConnections checks that surplus connections are refused with the reason. Others
// continue, and one that ends makes room.
func TestTooManyConnections(t *testing.T) {
	cfg := testConfig()
	cfg.Workers, cfg.MaxConnections = 1, 3
	server := startServer(t, cfg)
	r := dial(t, server) // one, for control
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 2})
	_, err := r.Open(kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	must.Fail(t, err, "all 3 connections of this server are in use")
	if a := do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1), Value: key(1)}})[0]; a.Status != kvs.OK {
		t.Errorf("a connection that was there: %s", a.Status)
	}
	must.Do(t, s.Close())
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		s, err := r.Open(kvs.SessionOptions{Batch: 1, Window: 1, Connections: 2})
		if err == nil {
			s.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no room after others have ended: %v", err)
		}
	}
}

// TestClientThatNeverReads checks that a client that never reads is disconnected in time. The
// server holds at most one turn's answers for it, and another client continues.
func TestClientThatNeverReads(t *testing.T) {
	cfg := testConfig()
	cfg.Workers, cfg.timeouts = 1, defaultTimeouts
	cfg.timeouts.unread = 200 * time.Millisecond
	server := startServer(t, cfg)
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	big := make([]byte, kvs.MaxValueBytes)
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(7), Value: big}})

	c := must.Get(net.Dial("tcp", server.Addr()))(t)
	defer c.Close()
	body := make([]byte, headerBytes)
	for range 100 {
		body = appendRequest(body, kvs.Get, city.Hash64(key(7)), key(7), nil)
	}
	putHeader(body, header{bytes: len(body), kind: kindRequest, count: 100})
	c.Write(control(kindHello, 0, []byte(magic)))
	// 6.5 MB of answers each.
	var err error
	for deadline := time.Now().Add(testTimeout); err == nil; time.Sleep(time.Millisecond) {
		c.SetWriteDeadline(deadline)
		if _, err = c.Write(body); errors.Is(err, os.ErrDeadlineExceeded) || time.Now().After(deadline) {
			t.Fatalf("the server neither reads nor ends the connection: %v", err)
		}
	}
	if got := do(t, s, []kvs.Request{{Op: kvs.Get, Key: key(7)}}); len(got[0].Value) != len(big) {
		t.Errorf("another client: %s with %d bytes", got[0].Status, len(got[0].Value))
	}
	stats := must.Get(server.Stats())(t)
	if most := int64(outboundBytes(MaxFrameBytes+flushBytes) + readBytes); stats.BufferedMostBytes > most ||
		stats.Workers[0].Late != 1 {
		t.Errorf("%d bytes buffered, want at most %d; %d ended, want 1",
			stats.BufferedMostBytes, most, stats.Workers[0].Late)
	}
}

// TestAnswerTooLarge checks that values beyond a frame get the status TooLarge, operation by
// operation.
func TestAnswerTooLarge(t *testing.T) {
	cfg := testConfig()
	cfg.Workers = 1
	s := kvstest.Open(t, dial(t, startServer(t, cfg)), kvs.SessionOptions{Batch: 200, Window: 1, Connections: 1})
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(7), Value: make([]byte, kvs.MaxValueBytes)}})
	var gets []kvs.Request
	for range 200 {
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: key(7)})
	}
	counts := map[kvs.Status]int{}
	for _, a := range do(t, s, gets) {
		counts[a.Status]++
	}
	fit := (MaxFrameBytes - answerHead(200)) / (1 << 16)
	if counts[kvs.OK] != fit || counts[kvs.TooLarge] != 200-fit {
		t.Errorf("outcomes %v, want %d to fit", counts, fit)
	}
}

func TestStartRefuses(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for name, change := range map[string]func(*Config){
		"port taken":  func(c *Config) { c.Listen = taken.Addr().String() },
		"no port":     func(c *Config) { c.Listen = "127.0.0.1" },
		"high port":   func(c *Config) { c.Listen = "127.0.0.1:65535" },
		"no workers":  func(c *Config) { c.Workers = 0 },
		"no items":    func(c *Config) { c.Items = 0 },
		"small log":   func(c *Config) { c.LogBytes = 100 },
		"no such CPU": func(c *Config) { c.CPUs = []int{1000} },
		"no hash":     func(c *Config) { c.Hash = "" },
		"huge log":    func(c *Config) { c.LogBytes = 1 << 46 },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "huge log" && raceEnabled {
				t.Skip("under the race detector memory comes from the Go heap, which is not asked what it has")
			}
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
	for _, addr := range []string{other, "127.0.0.1:1", "nonsense"} {
		r, err := Dial(t.Context(), addr)
		if err == nil {
			r.Close()
			t.Fatalf("%s was dialled", addr)
		}
		t.Log(err)
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add(requestFrame([]byte("key"), []byte("value"))[headerBytes:], 1)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, body []byte, count int) {
		if count < 0 || count > MaxBatch {
			return
		}
		ops, err := parseRequest(body, count, make([]partition.Op, MaxBatch))
		if err != nil {
			return
		}
		again := []byte{}
		for i := range ops {
			again = appendRequest(again, ops[i].Code, ops[i].Hash, ops[i].Key, ops[i].Value)
		}
		if len(again) != len(body) {
			t.Fatalf("%d operations of %d bytes are %d again", count, len(body), len(again))
		}
		for i, op := range ops {
			if !legal(op.Code, len(op.Key), len(op.Value)) {
				t.Fatalf("operation %d: %s with a key of %d and a value of %d bytes", i, op.Code, len(op.Key),
					len(op.Value))
			}
		}
	})
}

func FuzzParseAnswer(f *testing.F) {
	f.Add(make([]byte, 32), 3)
	f.Fuzz(func(t *testing.T, body []byte, count int) {
		if count < 0 || count > MaxBatch {
			return
		}
		o, err := parseAnswer(body, count)
		for i := 0; err == nil && i < count; i++ {
			if _, _, ok := o.read(i); !ok {
				err = o.cut(i)
			}
		}
		if err == nil {
			err = o.done()
		}
		_ = err
	})
}

func FuzzParseHeader(f *testing.F) {
	f.Add(control(kindHello, 3, []byte(magic))[:headerBytes])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < headerBytes {
			return
		}
		h, err := parseHeader(b)
		if err != nil {
			return
		}
		again := make([]byte, headerBytes)
		putHeader(again, h)
		if string(again) != string(b[:headerBytes]) {
			t.Fatalf("% x is % x again", b[:headerBytes], again)
		}
	})
}
