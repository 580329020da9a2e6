package main

import (
	"bytes"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPasswordStaysSecret runs a sweep against a server with a password. The password stands neither
// in the run folder, nor in the output, nor in a command line.
func TestPasswordStaysSecret(t *testing.T) {
	const password = "hush-hush-93c1"
	addr := redisWithPassword(t, password)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sweep := file("sweep.yaml", "store: redis\nget_ratio: 1\nclient_threads: 1\nkeys: 1000\nduration: 300ms\n"+
		"warmup: 50ms\nrepeats: 1\n")
	run := filepath.Join(dir, "run")
	for name, c := range map[string]struct {
		password string
		status   bool
	}{"right": {password, true}, "wrong": {password + "x", false}} {
		cmd := exec.Command("dpukv", "sweep", "-f", sweep, "--attach", "redis://"+addr+"/1", "--password-file",
			file("password", c.password+"\n"), "--out", run+name)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		err := watchCommandLines(t, ended, password)
		if (err == nil) != c.status || strings.Contains(out.String(), password) {
			t.Errorf("%s: %v: %s", name, err, out.String())
		}
		grep(t, run+name, password)
	}
}

func watchCommandLines(t *testing.T, ended <-chan error, secret string) error {
	for {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range lines {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has the password: %q", path, text)
			}
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func grep(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s has the password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// redisWithPassword runs a server whose password comes from its stdin.
func redisWithPassword(t *testing.T, password string) (addr string) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command(program, "-")
	cmd.Stdin = strings.NewReader("port " + port + "\nbind 127.0.0.1\nsave \"\"\nrequirepass " + password + "\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return addr
		}
	}
	t.Fatal("redis-server does not listen")
	return ""
}
