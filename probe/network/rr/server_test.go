package rr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/internal/test/must"
)

// shortLimits are limits that tests can wait for.
var shortLimits = limits{
	hello: 200 * time.Millisecond, message: 300 * time.Millisecond, idle: time.Minute,
}

// connect dials a server and sends bytes.
func connect(t testing.TB, s *server, b []byte) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", s.Addr()))(t)
	t.Cleanup(func() { c.Close() })
	must.Do(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	must.Get(c.Write(b))(t)
	return c
}

// greeted is a connection of an honest client.
func greeted(t testing.TB, s *server) net.Conn {
	t.Helper()
	c := connect(t, s, appendHello(nil, s.bytes))
	must.Do(t, readWelcome(c))
	return c
}

// honest sends a message and expects it back.
func honest(t testing.TB, s *server, c net.Conn) {
	t.Helper()
	message, answer := bytes.Repeat([]byte{7}, s.bytes), make([]byte, s.bytes)
	must.Get(c.Write(message))(t)
	if _, err := io.ReadFull(c, answer); err != nil || !bytes.Equal(message, answer) {
		t.Fatalf("found %d other bytes, %v", len(answer), err)
	}
}

// ends waits for the end of a connection. It returns what came before.
func ends(t testing.TB, c net.Conn) string {
	t.Helper()
	b, err := io.ReadAll(c)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		t.Fatal("the server keeps the connection")
	}
	return string(b)
}

// TestBadHellos: each gets a reason and is closed. Others are served meanwhile.
func TestBadHellos(t *testing.T) {
	s := startWithin(t, task(settings(100, 2, 0), time.Second), shortLimits)
	one, two := greeted(t, s), greeted(t, s)
	old := appendHello(nil, 100)
	binary.LittleEndian.PutUint32(old[len(magic):], 9)
	for want, hello := range map[string][]byte{
		"allowed: those of a dpukv client":   []byte("GET / HTTP/1.0\r\n"),
		"found version 9, allowed: 1":        old,
		"messages of 4294967295 bytes":       appendHello(nil, -1),
		"messages of 99 bytes, allowed: 100": appendHello(nil, 99),
		"found one more than 2, allowed: 2":  appendHello(nil, 100),
		"found 8 bytes (":                    []byte(magic),
		"allowed: 16 within 200ms":           nil,
	} {
		if got := ends(t, connect(t, s, hello)); !strings.Contains(got, want) {
			t.Errorf("%q: found %q, want %q", hello, got, want)
		}
		honest(t, s, one)
	}
	one.Close()
	waitFor(t, func() bool { return s.door.Counts().Open == 1 })
	honest(t, s, two)
	honest(t, s, greeted(t, s)) // the place of the first
}

func waitFor(t testing.TB, what func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !what(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}

// TestFlood: connections without a hello displace one another, and keep no client out.
func TestFlood(t *testing.T) {
	job := task(settings(10, 2, 0), time.Second)
	s := start(t, job)
	for range 3 * greetingMost {
		connect(t, s, []byte{1})
	}
	one := greeted(t, s)
	for range 3 * greetingMost {
		connect(t, s, nil)
	}
	honest(t, s, one)
	honest(t, s, greeted(t, s))
	if n := s.door.Counts().Highest; n > 2+doorExtra {
		t.Errorf("%d connections at once", n)
	}
}

// TestSlowPeers: a message that stays half, an answer that is not read, and an idle connection end.
// The honest connection on the same thread is served meanwhile.
func TestSlowPeers(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	job := task(settings(MaxBytes, 4, 0), time.Second)
	job.CPUs = allowed[:1] // one thread
	s := startWithin(t, job, shortLimits)
	client := greeted(t, s)
	half := greeted(t, s)
	must.Get(half.Write(make([]byte, MaxBytes/2)))(t)
	deaf := greeted(t, s)
	go func() { // it ends when the server resets the connection
		for b := make([]byte, MaxBytes); ; {
			if _, err := deaf.Write(b); err != nil {
				return
			}
		}
	}()
	waitFor(t, func() bool {
		honest(t, s, client)
		return s.door.Counts().Open == 1
	})
	ends(t, half)
}

// TestIdle: a connection that sends nothing at all ends.
func TestIdle(t *testing.T) {
	l := shortLimits
	l.idle = 200 * time.Millisecond
	s := startWithin(t, task(settings(10, 2, 0), time.Second), l)
	c := greeted(t, s)
	honest(t, s, c)
	ends(t, c)
	waitFor(t, func() bool { return s.door.Counts().Open == 0 })
}

// TestPieces: messages that come in any pieces, or together, are answered in whole ones.
func TestPieces(t *testing.T) {
	s := start(t, task(settings(1000, 2, 0), time.Second))
	c := greeted(t, s)
	sent := make([]byte, 5000)
	for i := range sent {
		sent[i] = byte(i / 7)
	}
	for _, cut := range []int{1, 999, 1700, 4100, 5000} {
		from := map[int]int{1: 0, 999: 1, 1700: 999, 4100: 1700, 5000: 4100}[cut]
		must.Get(c.Write(sent[from:cut]))(t)
		time.Sleep(time.Millisecond)
	}
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(sent, got) {
		t.Errorf("other bytes came back, %v", err)
	}
}

// TestPorts: a server takes a free port of a range, and refuses a range without one.
func TestPorts(t *testing.T) {
	job := task(settings(1, 1, 0), time.Second)
	start(t, job)
	host, r, err := ports.Split(job.Addr)
	if err != nil {
		t.Fatal(err)
	}
	job.Listen = ports.Join(host, r)
	if s, err := Serve(t.Context(), job); err == nil || !errors.Is(err, unix.EADDRINUSE) {
		t.Errorf("found %v, %v, want that the port is taken", s, err)
	}
}

// TestServerAllocatesNothing: no message allocates in the server.
func TestServerAllocatesNothing(t *testing.T) {
	s := start(t, task(settings(100, 1, 0), time.Second))
	c := greeted(t, s)
	message, answer := make([]byte, 100), make([]byte, 100)
	if n := testing.AllocsPerRun(20, func() {
		if _, err := c.Write(message); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, answer); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a message has %v allocations", n)
	}
}

// FuzzServer sends anything to a server. It answers only what it should, and goes on to serve.
func FuzzServer(f *testing.F) {
	const size = 5
	good := appendHello(nil, size)
	f.Add([]byte{})
	f.Add(good)
	f.Add(append(bytes.Clone(good), "12345678901"...))
	f.Add(appendHello(nil, 1<<30))
	f.Add([]byte("dpukv-rr\x02\x00\x00\x00\x05\x00\x00\x00"))
	s, err := serve(f.Context(), task(settings(size, 2, 0), time.Second), limits{
		hello: 50 * time.Millisecond, message: time.Minute, idle: time.Minute,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	client := greeted(f, s)
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := connect(t, s, sent)
		if err := c.(*net.TCPConn).CloseWrite(); err != nil && !errors.Is(err, unix.ENOTCONN) {
			t.Fatal(err)
		}
		got := ends(t, c)
		if bytes.HasPrefix(sent, good) {
			messages := sent[len(good):]
			want := string(welcome) + string(messages[:len(messages)/size*size])
			if !strings.HasPrefix(want, got) {
				t.Errorf("%q: found %q, want %q", sent, got, want)
			}
		} else if err := readWelcome(strings.NewReader(got)); err == nil {
			t.Errorf("%q is welcome", sent)
		}
		waitFor(t, func() bool { return s.door.Counts().Open == 1 })
		_ = client.SetDeadline(time.Now().Add(time.Minute))
		honest(t, s, client)
	})
}
