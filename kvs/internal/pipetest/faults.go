package pipetest

import (
	"bytes"
	"slices"
	"syscall"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// Store describes a store for tests of faults.
type Store struct {
	*kvs.Store
	Protocol string
	// Load runs a small load that calls happen once, in the middle of its measurement period. An
	// error is the reason why the measured point failed.
	Load func(t testing.TB, r kvs.Remote, happen func()) error
}

// Fail checks that each fault fails the point with its reason, and soon.
func Fail(t *testing.T, st Store) {
	for _, fault := range []struct {
		name string
		do   func(t testing.TB, p *Proxy, pid int)
		want []string // any one of these
	}{
		{
			"killed", signal(syscall.SIGKILL),
			[]string{"closed the connection", "reset by peer", "broken pipe"},
		},
		{"stopped", func(t testing.TB, p *Proxy, pid int) {
			signal(syscall.SIGSTOP)(t, p, pid)
			t.Cleanup(func() { signal(syscall.SIGCONT)(t, p, pid) })
		}, []string{"no answer within"}},
		{"nonsense", spoil(func([]byte) []byte {
			return []byte("HTTP/1.1 400 Bad Request\r\n\r\n")
		}), []string{"not of this protocol"}},
		{"binary nonsense", spoil(func(b []byte) []byte {
			return bytes.Repeat([]byte{0xff}, len(b))
		}), []string{"not of this protocol"}},
		{"one value is another's", spoil(flip), []string{"wrong"}},
		{"an answer too many", spoil(func(b []byte) []byte {
			return append(bytes.Clone(b), b...)
		}), []string{"answer no request", "wrong", "asked for it"}},
		{"connection lost", spoil(func([]byte) []byte {
			return nil
		}), []string{"closed the connection", "reset by peer", "broken pipe"}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			server := Start(t, st.Store, nil)
			p, r := st.behindProxy(t, server)
			err := st.Load(t, r, func() { fault.do(t, p, server.Facts().PID) })
			said := func(want string) bool { return contains(err, want) }
			if !slices.ContainsFunc(fault.want, said) {
				t.Errorf("got %v, want one of %q", err, fault.want)
			}
		})
	}
}

func (st *Store) behindProxy(t testing.TB, server kvs.Server) (*Proxy, kvs.Remote) {
	t.Helper()
	p := NewProxy(t, server.Addr())
	c := kvs.DialConfig{Addr: p.Addr, Protocol: st.Protocol}
	return p, must.Keep(st.Dial(t.Context(), &c))(t)
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

// flip changes a byte of a value in a longer answer: the last byte before the last CR LF. Both text
// protocols have CR LF after a value.
func flip(b []byte) []byte {
	out := bytes.Clone(b)
	if i := bytes.LastIndex(out, []byte("\r\n")); i > 9 &&
		!bytes.Contains(out[i-4:i], []byte("\n")) {
		out[i-1] ^= 0x40
	}
	return out
}
