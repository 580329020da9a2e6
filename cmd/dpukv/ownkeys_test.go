package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
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
	s.run(false, "found 1 key, 0 with the names", load...)
	refused := filepath.Join(t.TempDir(), "runs", "refused")
	s.run(false, "found 1 key, 0 with the names", append(attach, refused)...)
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
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		s.end(append(load, "--yes", "--duration", "1m"), "removed ", sig)
		s.has(1)
		s.end(append(attach, out(sig.String()), "--yes", "--set", "duration=1m"), "removed ", sig)
		s.has(1)
	}
	s.end(append(load, "--yes", "--duration", "1m"), "to remove them: dpukv load ", syscall.SIGSTOP, syscall.SIGTERM,
		syscall.SIGINT, syscall.SIGCONT)
	s.run(true, "removed ", append(load, "--yes")...)
	s.has(1)
}

// TestNohup: a hang-up that is ignored at the start does not end a load.
func TestNohup(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$@"`, "sh", "dpukv", "serve", "mica", "--listen", "127.0.0.1:0",
		"--json")
	f := must.Get(os.Create(ready))(t)
	cmd.Stdout = f
	must.Do(t, cmd.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if text := must.Get(os.ReadFile(ready))(t); len(text) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not begin")
		}
	}
	must.Do(t, cmd.Process.Signal(syscall.SIGHUP))
	must.Do(t, cmd.Process.Signal(syscall.SIGTERM)) // it ends in order
	if err := cmd.Wait(); err != nil {
		t.Errorf("after a hang-up that it ignores, and SIGTERM: %v", err)
	}
}

// TestOthersStay: no load evicts items of others, or fills their server, without a word.
func TestOthersStay(t *testing.T) {
	if testing.Short() {
		t.Skip("it stores megabytes")
	}
	const others = 500
	for policy, want := range map[string]string{
		"allkeys-lru":  "it would evict about 500 of 500 items",
		"volatile-ttl": "it would evict about 500 of 500 items",
		"noeviction":   "it would be full, and refuse the writes of others",
		"no limit":     "",
		"memcached":    "it would evict about 500 of 500 items",
	} {
		t.Run(policy, func(t *testing.T) {
			st, keys := "redis", "60000"
			s := theirServer{T: t, password: filepath.Join(t.TempDir(), "password")}
			write(t, s.password, "secret")
			switch policy {
			case "memcached":
				st, keys = policy, "200000"
				s.addr, s.password = memcachedOf64MB(t), ""
			case "no limit":
				s.addr = redisWithPassword(t, "secret")
			default:
				s.addr = redisWithPassword(t, "secret", "maxmemory 16mb", "maxmemory-policy "+policy)
			}
			s.store = st
			for i := range others {
				s.set(fmt.Sprintf("theirs:%d", i))
			}
			load := []string{
				"load", "--store", st, "--server", s.addr, "--keys", keys, "--value-bytes", "300", "--yes",
				"--duration", "100ms", "--warmup", "0s", "--on-miss", "fill",
			}
			s.run(want == "", want, load...)
			s.has(others)
			if want == "" {
				return
			}
			s.run(false, "--yes", append(slices.Delete(slices.Clone(load), 9, 10), "--evict-others")...)
			s.has(others)
			s.run(policy != "noeviction" && policy != "volatile-ttl", "removed ", append(load, "--evict-others")...)
			if left := s.items(); policy == "noeviction" && left != others {
				t.Errorf("%d of %d items of others are left", left, others)
			}
		})
	}
}

// memcachedOf64MB starts a server that has been in use.
func memcachedOf64MB(t *testing.T) (addr string) {
	t.Helper()
	st := must.Get(stores.Named("memcached"))(t)
	_, err := st.Program()
	programs.NeedFound(t, err)
	s := must.Get(st.Start(&kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Items: 1, KeyBytes: 8, ValueBytes: 8, Hash: kvs.NoHash,
		Setup: kvs.Setup{Mode: "cache", Access: st.Study.Access, MemoryBytes: 64 << 20},
	}))(t)
	t.Cleanup(func() { s.Close() })
	return s.Addr()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// theirServer is a server that runs already.
type theirServer struct {
	*testing.T
	addr, password string // a file; "": none
	store          string // "": redis
}

func (s *theirServer) run(works bool, want string, args ...string) {
	s.Helper()
	out, err := s.command(args).CombinedOutput()
	if (err == nil) != works || !strings.Contains(string(out), want) {
		s.Errorf("dpukv %v: %v, want %q in:\n%s", args, err, want, out)
	}
}

// command is dpukv with no signal ignored, however these tests were started.
func (s *theirServer) command(args []string) *exec.Cmd {
	argv := append([]string{"--default-signal=INT,TERM,HUP", "dpukv"}, args...)
	if s.password != "" {
		argv = append(argv, "--password-file", s.password)
	}
	return exec.Command("env", argv...)
}

// end runs a command, and sends it signals once it has stored keys. Its status is that of the last
// one that ends a process.
func (s *theirServer) end(args []string, want string, signals ...syscall.Signal) {
	s.Helper()
	cmd := s.command(args)
	out := must.Get(os.Create(filepath.Join(s.TempDir(), "out")))(s)
	defer out.Close()
	said := func() string { return string(must.Get(os.ReadFile(out.Name()))(s)) }
	cmd.Stdout, cmd.Stderr = out, out
	must.Do(s, cmd.Start())
	deadline := time.Now().Add(time.Minute)
	for ; !strings.Contains(said(), "stores ") || s.items() < 1000; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Error("it stores no keys")
			break
		}
	}
	for _, sig := range signals {
		must.Do(s, cmd.Process.Signal(sig))
	}
	err := cmd.Wait()
	status := cmd.ProcessState.ExitCode() - exitSignal
	ends := slices.Contains(signals, syscall.Signal(status)) && status > 0
	if !ends || !strings.Contains(said(), want) {
		s.Errorf("dpukv %v after %v: %v:\n%s", args, signals, err, said())
	}
}

func (s *theirServer) dial() kvs.Remote {
	s.Helper()
	st := must.Get(stores.Named(cmp.Or(s.store, "redis")))(s)
	var password []byte
	if s.password != "" {
		password = must.Get(os.ReadFile(s.password))(s)
	}
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
	must.Get(session.Submit(&kvs.Request{
		Op: kvs.Set, Key: []byte(key), Value: []byte(strings.Repeat("v", 300)), TTL: time.Hour,
	}))(s)
	for session.InFlight() > 0 {
		must.Do(s, session.Flush())
		must.Get(session.Poll(nil, 100*time.Millisecond))(s)
	}
}
