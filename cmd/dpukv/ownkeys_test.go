package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// TestOwnKeys runs loads and sweeps against a server with a key of somebody else. That key survives
// all of them.
func TestOwnKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	const password = "secret"
	s := theirServer{T: t, password: filepath.Join(t.TempDir(), "password"), addr: redisWithPassword(t, password)}
	write(t, s.password, password)
	sweep := filepath.Join(t.TempDir(), "sweep.yaml")
	write(t, sweep, "store: redis\nkeys: [1000, 2000]\nget_ratio: 1\nclient_threads: 1\nduration: 100ms\n"+
		"warmup: 50ms\nrepeats: 1\nkey_prefix: \"own:\"\nkey_bytes: 16\n")
	load := []string{
		"load", "--store", "redis", "--server", s.addr, "--keys", "3000", "--duration", "100ms",
		"--warmup", "50ms",
	}
	attach := []string{"sweep", "-f", sweep, "--attach", s.addr, "--out"}
	out := func(name string) string { return filepath.Join(t.TempDir(), name) }

	s.run(true, "removed 3000 own keys", load...)
	s.has(0)
	s.set("theirs")
	s.run(false, "found 1 key, 0 of them with the names", load...)
	refused := filepath.Join(t.TempDir(), "runs", "refused")
	s.run(false, "found 1 key, 0 of them with the names", append(attach, refused)...)
	if _, err := os.Stat(filepath.Dir(refused)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused sweep left %s (%v)", filepath.Dir(refused), err)
	}
	s.run(true, "which has 1 keys: it needs --yes", append(attach, out("dry"), "--dry-run")...)
	s.has(1)
	s.run(true, "removed 3000 own keys", append(load, "--yes")...)
	s.has(1)
	s.run(true, "removed 2000 own keys", append(attach, out("yes"), "--yes")...)
	s.has(1)
	s.run(true, "2000 keys own:… of 16 bytes", append(attach, out("keep"), "--yes", "--keep")...)
	s.has(2001)
	s.run(true, "2000 keys with the names of the load's keys were on the server before",
		append(attach, out("over"), "--yes")...)
	s.has(1)
	s.interrupt(append(load, "--yes", "--duration", "1m")...)
	s.has(1)
	s.interrupt(append(attach, out("stop"), "--yes", "--set", "duration=1m")...)
	s.has(1)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// theirServer is a server that runs already.
type theirServer struct {
	*testing.T
	addr, password string
}

func (s *theirServer) run(works bool, want string, args ...string) {
	s.Helper()
	out, err := exec.Command("dpukv", append(args, "--password-file", s.password)...).CombinedOutput()
	if (err == nil) != works || !strings.Contains(string(out), want) {
		s.Errorf("dpukv %v: %v, want %q in:\n%s", args, err, want, out)
	}
}

// interrupt runs a command, and interrupts it once it has stored keys.
func (s *theirServer) interrupt(args ...string) {
	s.Helper()
	var out strings.Builder
	cmd := exec.Command("dpukv", append(args, "--password-file", s.password)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	must.Do(s, cmd.Start())
	for deadline := time.Now().Add(30 * time.Second); s.items() < 1000; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Error("it stores no keys")
			break
		}
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), "removed ") {
		s.Errorf("dpukv %v: %v:\n%s", args, err, out.String())
	}
}

func (s *theirServer) dial() kvs.Remote {
	s.Helper()
	st := must.Get(stores.Named("redis"))(s)
	password := must.Get(os.ReadFile(s.password))(s)
	return must.Get(st.Dial(context.Background(), &kvs.DialConfig{
		Addr: s.addr, Credentials: kvs.Credentials{Password: kvs.NewSecret(string(password))},
	}))(s)
}

// items counts the server's keys.
func (s *theirServer) items() uint64 {
	s.Helper()
	r := s.dial()
	defer r.Close()
	stats := must.Get(r.Stats())(s)
	return stats.Workers[0].Items
}

func (s *theirServer) has(want uint64) {
	s.Helper()
	if got := s.items(); got != want {
		s.Errorf("the server has %d keys, want %d", got, want)
	}
}

// set stores a key of somebody else.
func (s *theirServer) set(key string) {
	s.Helper()
	r := s.dial()
	defer r.Close()
	session := must.Get(r.Open(kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}))(s)
	defer session.Close()
	must.Get(session.Submit(&kvs.Request{Op: kvs.Set, Key: []byte(key), Value: []byte("v")}))(s)
	for session.InFlight() > 0 {
		must.Do(s, session.Flush())
		must.Get(session.Poll(nil, 100*time.Millisecond))(s)
	}
}
