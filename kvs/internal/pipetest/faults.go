package pipetest

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/client/load"
	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/results"
)

// Store is what a test of faults needs of a store.
type Store struct {
	// Start is a server for the length of the test.
	Start func(t testing.TB) (addr string, pid int)
	Dial  func(ctx context.Context, addr string) (kvs.Remote, error)
}

// Fail wants each fault to fail the point with its reason, and soon.
func Fail(t *testing.T, st Store) {
	for _, fault := range []struct {
		name string
		do   func(t testing.TB, p *Proxy, pid int)
		want []string // one of them
	}{
		{"killed", signal(syscall.SIGKILL), []string{"closed the connection", "reset by peer", "broken pipe"}},
		{"stopped", func(t testing.TB, p *Proxy, pid int) {
			signal(syscall.SIGSTOP)(t, p, pid)
			t.Cleanup(func() { signal(syscall.SIGCONT)(t, p, pid) })
		}, []string{"no answer within"}},
		{"nonsense", spoil(func([]byte) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n") }), []string{"none of this protocol"}},
		{"binary nonsense", spoil(func(b []byte) []byte { return bytes.Repeat([]byte{0xff}, len(b)) }), []string{"none of this protocol"}},
		{"one value is another's", spoil(flip), []string{"wrong"}},
		{"an answer too many", spoil(func(b []byte) []byte { return append(bytes.Clone(b), b...) }), []string{"answer nothing", "wrong", "asked for it"}},
		{"connection lost", spoil(func([]byte) []byte { return nil }), []string{"closed the connection", "reset by peer", "broken pipe"}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			addr, pid := st.Start(t)
			p := NewProxy(t, addr)
			r, err := st.Dial(t.Context(), p.Addr)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			res, err := client.Run(t.Context(), r, faultLoad(t, func() { fault.do(t, p, pid) }))
			if res == nil {
				t.Fatal(err)
			}
			if err == nil || res.Point.Status != results.StatusFailed || !containsAny(err.Error(), fault.want) {
				t.Errorf("status %s, error %v, want one with %q", res.Point.Status, err, fault.want)
			}
		})
	}
}

// faultLoad is a small load, during which something happens: in the measured window, after the counters were asked for and long before they
// are again, so that it is the load that meets it. Its time-out is no part of the faults but one, and for the others longer than a busy
// machine keeps a server from running.
func faultLoad(t testing.TB, happen func()) client.Config {
	t.Helper()
	var once sync.Once
	return client.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 1000, KeyBytes: 8, ValueBytes: 8, GetRatio: 0.9, Seed: 1,
			},
			Connections: 2, Window: 1, Batch: 16, Hash: hashbench.Default,
		},
		Threads: 1, Duration: 3 * time.Second, Timeout: time.Second, Interval: 50 * time.Millisecond,
		OnProgress: func(p client.Progress) {
			if p.Phase == client.PhaseMeasure && p.Elapsed > 0 {
				once.Do(happen)
			}
		},
	}
}

func signal(s syscall.Signal) func(testing.TB, *Proxy, int) {
	return func(t testing.TB, _ *Proxy, pid int) {
		if err := syscall.Kill(pid, s); err != nil {
			t.Error(err)
		}
	}
}

func spoil(how func([]byte) []byte) func(testing.TB, *Proxy, int) {
	return func(_ testing.TB, p *Proxy, _ int) { p.Spoil(how) }
}

// flip changes a byte of a value in a longer answer: the last one before the last CR LF, which both text protocols
// have after a value.
func flip(b []byte) []byte {
	out := bytes.Clone(b)
	if i := bytes.LastIndex(out, []byte("\r\n")); i > 9 && !bytes.Contains(out[i-4:i], []byte("\n")) {
		out[i-1] ^= 0x40
	}
	return out
}

func containsAny(s string, list []string) bool {
	for _, want := range list {
		if strings.Contains(s, want) {
			return true
		}
	}
	return false
}
