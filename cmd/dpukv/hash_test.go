package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/hashbench/result"
	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
)

// builtBinary is the real binary: a copy of the test binary on another node would run the tests
// there.
func builtBinary(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the binary and measures")
	}
	path := filepath.Join(t.TempDir(), "dpukv")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// sshTestbed is a testbed file with this machine and one behind a real sshd.
func sshTestbed(t *testing.T) (file string, s *daemon.SSHServer) {
	t.Helper()
	s = daemon.StartSSH(t, daemon.SSHOptions{})
	file = filepath.Join(t.TempDir(), "bed.yaml")
	text := fmt.Sprintf("nodes:\n  near: {}\n  far: {kind: host, via: ssh, host: %s, port: %d, user: %s, identity: "+
		"%s, known_hosts: %s, address: 127.0.0.1}\nclient_side: near\nserver_side: far\n",
		s.Address, s.Port, s.User, s.Identity, s.KnownHosts)
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	return file, s
}

// TestHashOverSSH: one command measures here and behind sshd, and compares.
func TestHashOverSSH(t *testing.T) {
	binary := builtBinary(t)
	bed, _ := sshTestbed(t)
	dir := filepath.Join(t.TempDir(), "hashes")
	cmd := exec.Command(binary, "hash", "--testbed", bed, "--out", dir, "--figures", dir,
		"--quick", "--functions", "city64,xxh3-64", "--duration", "200ms", "--rounds", "6")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	must.Contain(t, stdout.String(), "far ÷ near", "city64", "far: ", "16 B latency")
	for _, name := range []string{"near.json", "far.json"} {
		r := must.Get(result.Read(t.Context(), filepath.Join(dir, name)))(t)
		if len(r.Results) != 10 || r.Rounds != 6 {
			t.Errorf("%s has %d results of %d rounds", name, len(r.Results), r.Rounds)
		}
	}
	must.Get(os.Stat(filepath.Join(dir, "hash-16B-latency.svg")))(t)
}

// TestHashOverSSHEnds: an interrupt here leaves nothing behind there.
func TestHashOverSSHEnds(t *testing.T) {
	binary := builtBinary(t)
	bed, s := sshTestbed(t)
	cmd := exec.Command(binary, "hash", "--testbed", bed, "--functions", "city64", "--lengths", "16", "--duration",
		"100ms", "--rounds", "6")
	// This machine measures for a moment, the other one for minutes: the node's own binary gets
	// another duration.
	text := must.Get(os.ReadFile(bed))(t)
	slow := filepath.Join(t.TempDir(), "slow")
	script := "#!/bin/sh\nexec " + binary +
		" hash --json --end-with-stdin --functions city64 --lengths 16 --rounds 100000 --duration 10m\n"
	must.Do(t, os.WriteFile(slow, []byte(script), 0o777))
	withBinary := strings.Replace(string(text), "via: ssh,", "via: ssh, binary: "+slow+",", 1)
	must.Do(t, os.WriteFile(bed, []byte(withBinary), 0o666))
	must.Do(t, cmd.Start())
	running := func() int { return len(daemonsOf(binary)) }
	await(t, "the run on the node", func() bool { return running() > 1 })
	must.Do(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted run ended well")
	}
	await(t, "the end of the run on the node", func() bool { return running() == 0 })
	_ = s
}

// daemonsOf are the running processes of a binary.
func daemonsOf(binary string) (found []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == binary {
			found = append(found, link)
		}
	}
	return found
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("waited 30 s for %s", what)
}
