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

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"

	"github.com/spf13/cobra"
)

func TestOnLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:7791": true, "127.9.9.9:1": true, "[::1]:7791": true, "localhost:7791": true,
		":7791": false, "0.0.0.0:7791": false, "[::]:7791": false, "10.0.0.1:7791": false,
		"no.such.name.invalid:1": false, "": false, "nonsense": false,
	} {
		if got := onLoopback(addr); got != want {
			t.Errorf("onLoopback(%q) is %v, want %v", addr, got, want)
		}
	}
}

func TestSentenceBeyondLoopback(t *testing.T) {
	var said strings.Builder
	if err := warnBeyondLoopback(&said, "127.0.0.1:1"); err != nil || said.Len() > 0 {
		t.Errorf("on loopback: %q, %v", said.String(), err)
	}
	err := warnBeyondLoopback(&said, "0.0.0.0:1")
	if err != nil || !strings.Contains(said.String(), "without authentication") {
		t.Errorf("on all interfaces: %q, %v", said.String(), err)
	}
}

// TestServersListenOnLoopback: no flag's default admits other machines, in any command.
func TestServersListenOnLoopback(t *testing.T) {
	checked := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			check(sub)
		}
		listen := cmd.Flags().Lookup("listen")
		if listen == nil {
			return
		}
		checked++
		addr := listen.DefValue
		if net.ParseIP(addr) != nil { // the port is another flag's
			addr = net.JoinHostPort(addr, "0")
		}
		if !onLoopback(addr) {
			t.Errorf("%s listens on %s by default", cmd.CommandPath(), listen.DefValue)
		}
		if cmd.Parent().Name() == "serve" && !strings.Contains(cmd.Long, trustHelp) {
			t.Errorf("%s does not say that there is no authentication", cmd.CommandPath())
		}
	}
	check(newRootCommand())
	if checked < 4 {
		t.Errorf("%d commands have --listen, want at least the four servers", checked)
	}
}

// TestPasswordStaysSecret runs a sweep against a server with a password. The password stands neither
// in the run folder, nor in the output, nor in a command line.
func TestPasswordStaysSecret(t *testing.T) {
	const password = "hush-hush-93c1"
	addr := redisWithPassword(t, password)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
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
		must.Do(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		err := watchCommandLines(t, ended, password)
		if (err == nil) != c.status || strings.Contains(out.String(), password) {
			t.Errorf("%s: %v: %s", name, err, out.String())
		}
		if c.status {
			grep(t, run+name, password)
		} else if _, err := os.Stat(run + name); err == nil {
			t.Errorf("a sweep that was refused left %s", run+name)
		}
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
func redisWithPassword(t *testing.T, password string, more ...string) (addr string) {
	t.Helper()
	program := programs.Need(t, "redis-server")
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	addr = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command(program, "-")
	cmd.Stdin = strings.NewReader("port " + port + "\nbind 127.0.0.1\nsave \"\"\nrequirepass " + password + "\n" +
		strings.Join(more, "\n") + "\n")
	must.Do(t, cmd.Start())
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
