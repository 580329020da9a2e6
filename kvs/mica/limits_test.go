package mica

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/partition"
)

// raw is a client that sends what it wants.
type raw struct {
	*net.TCPConn
	t testing.TB
}

func dialRaw(t testing.TB, s *Server) raw {
	t.Helper()
	c := must.Keep(net.Dial("tcp", s.Addr()))(t)
	must.Do(t, c.SetDeadline(time.Now().Add(testTimeout)))
	return raw{c.(*net.TCPConn), t}
}

// failure reads frames until one of a failure, which it returns.
func (r raw) failure() string {
	r.t.Helper()
	for {
		h, body, err := readFrame(r)
		if err != nil {
			r.t.Fatalf("no failure frame: %v", err)
		}
		if h.kind == kindFailure {
			return string(body)
		}
	}
}

func (r raw) wantFailure(text string) {
	r.t.Helper()
	if got := r.failure(); !strings.Contains(got, text) {
		r.t.Errorf("the server says %q, want %q", got, text)
	}
	if n, _ := io.Copy(io.Discard, r); n > 0 {
		r.t.Errorf("%d bytes after the failure frame", n)
	}
}

func (r raw) send(frames ...[]byte) {
	r.t.Helper()
	if _, err := r.Write(bytes.Join(frames, nil)); err != nil {
		r.t.Fatal(err)
	}
}

func helloFrame() []byte { return control(kindHello, 0, []byte(magic)) }

// hasty is a server with short timeouts.
func hasty(t testing.TB, change func(*Config)) *Server {
	t.Helper()
	cfg := testConfig()
	cfg.Workers = 1
	short := 50 * time.Millisecond
	cfg.timeouts = timeouts{hello: time.Minute, frame: time.Minute, unread: time.Minute, leave: short}
	change(&cfg)
	return startServer(t, cfg)
}

// mostBuffered is how much memory the server has held in buffers.
func mostBuffered(t testing.TB, s *Server) int64 {
	t.Helper()
	stats := must.Get(s.Stats())(t)
	return stats.BufferedMostBytes
}

func connections(t testing.TB, s *Server) uint64 {
	t.Helper()
	stats := must.Get(s.Stats())(t)
	return stats.Workers[0].Connections
}

// TestBeforeHello checks that input before a hello takes at most the smallest buffer, for a short
// time.
func TestBeforeHello(t *testing.T) {
	server := hasty(t, func(c *Config) { c.timeouts.hello = 200 * time.Millisecond })
	large := make([]byte, headerBytes)
	putHeader(large, header{bytes: MaxFrameBytes, kind: kindHello})
	for name, test := range map[string]struct {
		sent []byte
		want string
	}{
		"nothing":                 {nil, "no hello came within 200ms"},
		"a byte":                  {helloFrame()[:1], "no hello came within 200ms"},
		"a hello without its end": {helloFrame()[:helloBytes-1], "no hello came within 200ms"},
		"a hello of 8 MiB":        {large, "of 8388608 bytes, allowed: a hello first"},
		"a request":               {requestFrame(key(1), key(1)), "allowed: a hello first"},
		"an ask":                  {control(kindAsk, 0, nil), "allowed: a hello first"},
	} {
		t.Run(name, func(t *testing.T) {
			c := dialRaw(t, server)
			c.send(test.sent)
			c.wantFailure(test.want)
		})
	}
	if most := mostBuffered(t, server); most > minBufferBytes {
		t.Errorf("%d bytes buffered before a hello, want at most %d", most, minBufferBytes)
	}
}

// TestSlowFrames checks that a frame must become complete in time, on any connection.
func TestSlowFrames(t *testing.T) {
	server := hasty(t, func(c *Config) { c.timeouts.frame = 200 * time.Millisecond })
	request := requestFrame(key(1), make([]byte, 60_000))
	for name, sent := range map[string][]byte{
		"a byte":                  request[:1],
		"a header":                request[:headerBytes],
		"all but a byte":          request[:len(request)-1],
		"one whole and one begun": append(bytes.Clone(request), request[:40_000]...),
		"an ask without its end":  control(kindAsk, 1, nil)[:headerBytes-1],
	} {
		t.Run(name, func(t *testing.T) {
			c := dialRaw(t, server)
			c.send(helloFrame(), sent)
			c.wantFailure("of a frame after 200ms")
		})
	}
}

// TestAskFlood checks that asks whose answers nobody reads end the connection. Nothing is kept for
// it.
func TestAskFlood(t *testing.T) {
	server := hasty(t, func(*Config) {})
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	c := dialRaw(t, server)
	c.send(helloFrame(), bytes.Repeat(control(kindAsk, 1, nil), 10_000))
	c.wantFailure("allowed: one at a time")
	if a := do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1), Value: key(1)}})[0]; a.Status != kvs.OK {
		t.Errorf("another client: %s", a.Status)
	}
	if most := mostBuffered(t, server); most > readBytes {
		t.Errorf("%d bytes buffered, want at most what one read brings, %d", most, readBytes)
	}
}

// TestAsksShareGatherings checks that many concurrent asks are all answered, from few rounds.
func TestAsksShareGatherings(t *testing.T) {
	server := hasty(t, func(*Config) {})
	const clients, asks = 50, 4
	var all []raw
	for range clients {
		c := dialRaw(t, server)
		c.send(helloFrame())
		if h, _, err := readFrame(c); err != nil || h.kind != kindWelcome {
			t.Fatal(h, err)
		}
		all = append(all, c)
	}
	for sequence := range uint64(asks) {
		server.statsCollector.mu.Lock() // so that all of them have asked before one begins
		for _, c := range all {
			c.send(control(kindAsk, sequence, nil))
		}
		server.statsCollector.mu.Unlock()
		for _, c := range all {
			h, _, err := readFrame(c)
			if err != nil || h.kind != kindStats || h.sequence != sequence {
				t.Fatal(h, err)
			}
		}
	}
	server.statsCollector.mu.Lock()
	defer server.statsCollector.mu.Unlock()
	if n := server.statsCollector.round; n >= clients*asks {
		t.Errorf("%d asks were %d gatherings", clients*asks, n)
	}
}

// TestBuffersRunOut checks that a connection that needs more than is left receives the reason, and
// ends. A session within its share continues, and the server stays within its budget.
func TestBuffersRunOut(t *testing.T) {
	server := hasty(t, func(c *Config) { c.MaxConnections, c.BufferBytes = 64, 4<<20 })
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 8, Window: 1, Connections: 1})
	begun := make([]byte, 1<<20)
	putHeader(begun, header{bytes: MaxFrameBytes, kind: kindRequest, count: 1})
	dialRaw(t, server).send(helloFrame(), begun)
	for deadline := time.Now().Add(testTimeout); mostBuffered(t, server) < 1<<20; {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes buffered, want %d", mostBuffered(t, server), 1<<20)
		}
	}
	c := dialRaw(t, server)
	c.send(helloFrame(), begun)
	if got := c.failure(); !strings.Contains(got, "no room for 1024 KiB") {
		t.Errorf("the server says %q", got)
	}
	for i := range 100 {
		set := []kvs.Request{{Op: kvs.Set, Key: key(i), Value: make([]byte, 1000)}}
		if a := do(t, s, set)[0]; a.Status != kvs.OK {
			t.Fatalf("another client: %s", a.Status)
		}
	}
	if most := mostBuffered(t, server); most > 4<<20 {
		t.Errorf("%d bytes buffered of %d", most, 4<<20)
	}
}

// TestNoDescriptors checks that a client without a descriptor receives the reason. Others continue,
// and the next one is accepted once there are descriptors again.
func TestNoDescriptors(t *testing.T) {
	server := hasty(t, func(*Config) {})
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: server.ports[0]}
	s := kvstest.Open(t, dial(t, server), kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	clients := kvstest.SpareSockets(t, 3)
	for deadline := time.Now().Add(testTimeout); connections(t, server) > 2; {
		if time.Now().After(deadline) { // Start has made one to prove that it serves
			t.Fatalf("%d connections, want 2", connections(t, server))
		}
	}
	release := kvstest.Exhaust(t)
	for range 2 {
		c := clients.Dial(t, addr)
		defer c.Close() // not now: that would leave a descriptor
		if got, err := io.ReadAll(c); !strings.Contains(string(got), "no file descriptor left") {
			t.Errorf("without descriptors: %q, %v", got, err)
		}
	}
	if a := do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1), Value: key(1)}})[0]; a.Status != kvs.OK {
		t.Errorf("a client that was there: %s", a.Status)
	}
	release()
	c := clients.Dial(t, addr)
	defer c.Close()
	must.Get(c.Write(helloFrame()))(t)
	if h, _, err := readFrame(c); err != nil || h.kind != kindWelcome {
		t.Errorf("with descriptors: a frame of kind %d, %v", h.kind, err)
	}
	stats := must.Get(server.Stats())(t)
	// A connection that closed just before may leave one descriptor: then accept succeeds, and the
	// worker refuses.
	if w := stats.Workers[0]; w.Refused != 2 {
		t.Errorf("refused %d, accept failed %d times; want 2 refused", w.Refused, w.AcceptErrors)
	}
}

// TestRefusedInTime checks that surplus clients receive the reason, even if they said hello at
// once. The server keeps few of them.
func TestRefusedInTime(t *testing.T) {
	server := hasty(t, func(c *Config) { c.MaxConnections = 1 })
	r, err := Dial(context.Background(), server.Addr())
	for deadline := time.Now().Add(10 * time.Second); err != nil; r, err = Dial(context.Background(), server.Addr()) {
		if time.Now().After(deadline) { // the connection of the server's own start has the place at first
			t.Fatal(err)
		}
	}
	defer r.Close()
	for range 3 * maxRefusing {
		_, err := Dial(context.Background(), server.Addr())
		must.Fail(t, err, "all 1 connections of this server are in use")
	}
	if _, err := r.Stats(); err != nil {
		t.Errorf("the one that was there: %v", err)
	}
}

// TestGuarantee checks the load that doc.go guarantees: it stays within its guarantee, whatever
// gnet and the kernel hold of it.
func TestGuarantee(t *testing.T) {
	for _, guarantee := range []int{minGuarantee, 32 << 10, 1 << 20, 16 << 20} {
		most := (guarantee - 12<<10) / 3
		for part := range 101 {
			requests := most * part / 100
			buffer := bufferBytes(sizeFor(requests))
			if requests > minBufferBytes { // while it grows there is the one before, too
				buffer += buffer / 2
			}
			if held := buffer + outboundBytes(most-requests+1); held > guarantee+2 {
				t.Errorf("%d bytes sent, %d to be read: %d are held, of %d", requests, most-requests, held, guarantee)
			}
		}
	}
}

func TestWorkerBytes(t *testing.T) {
	n := flushBytes + MaxFrameBytes + readBytes // out, and what gnet reads into
	for size := range keptSizes {
		n += bufferBytes(size)
	}
	n += MaxBatch * int(unsafe.Sizeof(partition.Op{}))
	if n > workerBytes || n < workerBytes*9/10 {
		t.Errorf("a worker has %d bytes, workerBytes are %d", n, workerBytes)
	}
}

func TestLimitsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"connections beyond files": {func(c *Config) { c.MaxConnections = 1 << 30 }, "ulimit -n"},
		"no connections":           {func(c *Config) { c.MaxConnections = -1 }, "allowed: 1 or more"},
		"few buffers": {func(c *Config) {
			c.MaxConnections, c.BufferBytes = 1000, 1<<20
		}, "32 KiB for each"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig()
			test.change(&cfg)
			s, err := Start(cfg)
			if err == nil {
				s.Close()
				t.Fatal("was started")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("found %q, want %q", err, test.want)
			}
		})
	}
}

// rung is a system that nobody may use once its wakeup is closed.
type rung struct {
	system
	t    testing.TB
	gone bool
}

func (r *rung) ring() {
	if r.gone {
		r.t.Error("a closed bell is rung")
	}
}

// TestMailboxCloses checks that nobody rings a closed worker, whose descriptor may belong to
// another file.
func TestMailboxCloses(t *testing.T) {
	r := &rung{t: t}
	m := mailbox{system: r}
	if !m.post(func(l *workerMail) { l.tick = true }) || !m.open().tick {
		t.Error("a letter did not arrive")
	}
	must.Do(t, m.close(func() error { r.gone = true; return nil }))
	if m.post(func(l *workerMail) { l.tick = true }) {
		t.Error("a letter to nobody was taken")
	}
}

// TestStatsWhileClosing checks that questions during Close get an answer or an error, and that no
// closed descriptor is used.
func TestStatsWhileClosing(t *testing.T) {
	for range 20 {
		s := must.Get(Start(testConfig()))(t)
		asked := make(chan error)
		for range 4 {
			go func() {
				var err error
				for err == nil {
					_, err = s.Stats()
				}
				asked <- err
			}()
		}
		must.Do(t, s.Close())
		for range 4 {
			if err := <-asked; err != net.ErrClosed {
				t.Errorf("found %v, want %v", err, net.ErrClosed)
			}
		}
	}
}
