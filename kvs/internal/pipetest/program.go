package pipetest

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
)

// programTimeout limits the start of a program.
const programTimeout = 20 * time.Second

// Program runs a server's program for the length of a test, with arguments of the test's own. It
// returns once the program accepts connections at the address. A program that is not installed
// skips the test.
func Program(t testing.TB, network, addr, program string, args ...string) {
	t.Helper()
	path := programs.Need(t, program)
	var output bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = &output, &output, t.TempDir()
	must.Do(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // killed
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	for deadline := time.Now().Add(programTimeout); ; {
		c, err := net.Dial(network, addr)
		if err == nil {
			c.Close()
			return
		}
		select {
		case <-ended:
			t.Fatalf("%s %s: %s", program, strings.Join(args, " "), output.Bytes())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen at %s", program, addr)
		}
	}
}

// Start starts an installed store's server for the length of a test.
func Start(t testing.TB, st *kvs.Store, change func(*kvs.ServerConfig)) kvs.Server {
	t.Helper()
	_, err := st.Program()
	programs.NeedFound(t, err)
	cfg := kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Setup: kvs.Setup{Mode: "cache"},
		Items: 10_000, KeyBytes: 8, ValueBytes: 8,
	}
	if change != nil {
		change(&cfg)
	}
	return must.Keep(st.Start(&cfg))(t)
}

// FreePort returns a port of the loopback that nobody listens on at present.
func FreePort(t testing.TB) string {
	t.Helper()
	return strconv.Itoa(must.Get(programs.FreePort())(t))
}

// SocketPath returns a path for a Unix socket, which is short enough for the kernel.
func SocketPath(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "dpukv"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// Secret returns a file's content.
func Secret(t testing.TB, path string) kvs.Secret {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return kvs.NewSecret(string(text))
}

// Try runs one request through a session, and returns its answer or the session's error.
func Try(s kvs.Session, r *kvs.Request) (kvs.Answer, error) {
	if _, err := s.Submit(r); err != nil {
		return kvs.Answer{}, err
	}
	for deadline := time.Now().Add(programTimeout); time.Now().Before(deadline); {
		if err := s.Flush(); err != nil {
			return kvs.Answer{}, err
		}
		answers, err := s.Poll(nil, 100*time.Millisecond)
		if err != nil || len(answers) > 0 {
			return append(answers, kvs.Answer{})[0], err
		}
	}
	return kvs.Answer{}, context.DeadlineExceeded
}
