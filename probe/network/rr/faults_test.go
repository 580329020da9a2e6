package rr

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// fake is a server that greets like ours and then does what it likes.
func fake(t *testing.T, then func(net.Conn)) (addr string) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var hello [helloBytes]byte
			if _, err := io.ReadFull(c, hello[:]); err == nil {
				then(c)
			}
			c.Close()
		}
	}()
	return l.Addr().String()
}

// echoTimes sends messages back, and then ends.
func echoTimes(c net.Conn, size, times int) {
	b := make([]byte, size)
	for range times {
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// TestServerFaults: each fails the point, with a reason.
func TestServerFaults(t *testing.T) {
	const size = 20
	for name, of := range map[string]struct {
		then func(net.Conn)
		want string
	}{
		"refuses": {
			func(c net.Conn) { _, _ = c.Write(refusal(errors.New("not today"))) },
			"connection 0: the server says: not today",
		},
		"speaks something else": {
			func(c net.Conn) { _, _ = c.Write([]byte("SSH-2.0")) }, "the server says: H-2.0",
		},
		"hangs up at once": {func(net.Conn) {}, "the server closed the connection"},
		"hangs up later": {
			func(c net.Conn) { _, _ = c.Write(welcome); echoTimes(c, size, 10) },
			"connection 0: ",
		},
		"other content": {
			func(c net.Conn) {
				_, _ = c.Write(welcome)
				echoTimes(c, size, 3)
				b := make([]byte, size)
				_, _ = io.ReadFull(c, b)
				b[13] ^= 0xff
				_, _ = c.Write(b)
				echoTimes(c, size, 1)
			}, "answer to message 4: found",
		},
		"an old answer": {
			func(c net.Conn) {
				_, _ = c.Write(welcome)
				b := make([]byte, size)
				_, _ = io.ReadFull(c, b)
				for range 2 {
					_, _ = c.Write(b)
					_, _ = io.ReadFull(c, make([]byte, size))
				}
			}, "answer to message 2: found 0x1 at byte 0, allowed: 0x2",
		},
		"answers without a message": {
			func(c net.Conn) {
				_, _ = c.Write(append(welcome[:2:2], make([]byte, 2*size)...))
				echoTimes(c, size, 1)
			}, "connection 0: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, rate := range []int{0, 1000} {
				job := task(settings(size, 1, rate), 5*time.Second)
				job.Addr = fake(t, of.then)
				if _, err := Measure(t.Context(), job); err == nil || !strings.Contains(err.Error(), of.want) ||
					!strings.Contains(err.Error(), job.Addr) {
					t.Errorf("rate %d: found %v, want %q", rate, err, of.want)
				}
			}
		})
	}
}

// TestServerEnds: a server that ends in the middle of a measurement fails it.
func TestServerEnds(t *testing.T) {
	for _, of := range []struct{ connections, rate int }{{1, 0}, {6, 0}, {6, 1000}} {
		job := task(settings(100, of.connections, of.rate), time.Minute)
		s := start(t, job)
		job.Began = func() { s.Close() }
		if _, err := Measure(t.Context(), job); err == nil || !strings.Contains(err.Error(), "connection ") {
			t.Errorf("%+v: found %v", of, err)
		}
	}
}

// TestNobodyListens: the error names the address.
func TestNobodyListens(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	job := task(settings(1, 1, 0), time.Second)
	job.Addr = l.Addr().String()
	l.Close()
	if _, err := Measure(t.Context(), job); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("found %v", err)
	}
}

// TestCancel: a cancelled measurement ends soon, with its reason.
func TestCancel(t *testing.T) {
	for _, rate := range []int{0, 1} {
		job := task(settings(1, 3, rate), time.Hour)
		start(t, job)
		ctx, cancel := context.WithCancelCause(t.Context())
		job.Began = func() { cancel(nil) }
		if _, err := Measure(ctx, job); !errors.Is(err, context.Canceled) {
			t.Errorf("found %v", err)
		}
	}
}

// TestSilence: a server that answers late counts in an open loop, with a warning.
func TestSilence(t *testing.T) {
	job := task(settings(8, 1, 100), 200*time.Millisecond)
	job.Warmup = 0
	job.Addr = fake(t, func(c net.Conn) {
		_, _ = c.Write(welcome)
		echoTimes(c, 8, 1)
		_, _ = io.Copy(io.Discard, c)
	})
	out := must.Get(Measure(t.Context(), job))(t)
	if text := strings.Join(out.Warnings, "\n"); !strings.Contains(text, "they are lower bounds") ||
		!strings.Contains(text, "waited for a free connection") {
		t.Errorf("found %q", text)
	}
	if out.Figures[figureP99] < float64(grace) {
		t.Errorf("the 99th percentile is %v", out.Figures[figureP99])
	}
}
