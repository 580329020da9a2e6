package memcached

import (
	"context"
	"testing"

	"dpukv/client/clienttest"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipetest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the installed memcached for the length of a test.
func start(t testing.TB, change func(*Config)) *Server {
	t.Helper()
	if _, err := Installed(); err != nil {
		t.Skip(err)
	}
	cfg := Config{Listen: "127.0.0.1:0", Workers: 1, Mode: "cache", Items: 10_000, KeyBytes: 8, ValueBytes: 8}
	if change != nil {
		change(&cfg)
	}
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

func dial(t testing.TB, addr string, opts Options) *Remote {
	t.Helper()
	r, err := Dial(t.Context(), addr, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

var faultStore = pipetest.Store{
	Start: func(t testing.TB) (string, int) {
		s := start(t, nil)
		return s.Addr(), s.Facts().PID
	},
	Dial: func(ctx context.Context, addr string) (kvs.Remote, error) { return Dial(ctx, addr, Options{}) },
	Load: clienttest.Fault,
}
