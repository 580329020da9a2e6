package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"dpukv/internal/foreign"
	"dpukv/internal/test/daemon"
	"dpukv/internal/test/must"
)

// TestShare: commands take one connection, also with its server gone for new ones. Close removes
// the socket. Commands after that connect themselves.
func TestShare(t *testing.T) {
	s := daemon.StartSSH(t, daemon.SSHOptions{})
	n := node(s)
	t.Setenv("TMPDIR", t.TempDir())
	shared, err := Share(t.Context(), n)
	if err != nil || shared == nil {
		t.Fatalf("found %v, %v", shared, err)
	}
	if i, err := os.Stat(filepath.Dir(shared.shared)); err != nil || i.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v, want mode 0700", i, err)
	}
	id := func(n *Node) string {
		t.Helper()
		out := must.Get(Output(t.Context(), n, "sh", "-c", "echo $SSH_CONNECTION"))(t)
		return string(out)
	}
	if a, b := id(&shared.Node), id(&shared.Node); a != b {
		t.Errorf("two connections: %s and %s", a, b)
	}
	if a, b := id(n), id(n); a == b {
		t.Errorf("without Share, one connection: %s", a)
	}
	testContract(t, &shared.Node)
	must.Do(t, shared.Close())
	if left, _ := filepath.Glob(os.Getenv("TMPDIR") + "/*"); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
	if a, b := id(&shared.Node), id(&shared.Node); a == b {
		t.Errorf("after Close, one connection: %s", a)
	}
}

// TestEndlessNode: a node that writes without end, with and without line ends, ends at once.
func TestEndlessNode(t *testing.T) {
	for name, script := range map[string]string{
		"zeros": "exec cat /dev/zero", "lines": "exec yes",
		"zeros later": `case "$*" in *-G*) exit;; esac; exec cat /dev/zero`,
		"zeros after its path": "trap '' PIPE; echo machine x86_64 9.99 /lib64/ld-linux-x86-64.so.2; " +
			"echo have /bin/true; exec cat /dev/zero",
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(bin, "ssh"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			t.Setenv("TMPDIR", t.TempDir())
			n := &Node{Name: "bf", Via: SSH, Host: "bf"}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if name != "zeros after its path" {
				s, err := Share(t.Context(), n)
				if s != nil || name == "zeros later" && !foreign.Over(err) {
					t.Errorf("Share: found %v, %v", s, err)
				}
			}
			_, err := Install(t.Context(), n, Binaries{})
			must.Fail(t, err, "found more bytes in what the node writes before dpukv's words, allowed: at most 1048576")
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 200<<20 {
				t.Errorf("it took %d bytes", got)
			}
		})
	}
}

// TestShareNot: nothing is shared where the user's configuration does so, or without ssh.
func TestShareNot(t *testing.T) {
	s := daemon.StartSSH(t, daemon.SSHOptions{})
	dir := t.TempDir()
	n := &Node{Name: "bf", Via: SSH, Host: "bf", SSHConfig: filepath.Join(dir, "config")}
	writeFile(t, n.SSHConfig, s.ClientConfig("bf")+"ControlPath "+dir+"/theirs\n")
	for _, n := range []*Node{n, {Name: "here", Via: Local}} {
		if shared, err := Share(t.Context(), n); shared != nil || err != nil {
			t.Errorf("%s: found %v, %v, want nothing", n.Via, shared, err)
		}
	}
}
