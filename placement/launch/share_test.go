package launch

import (
	"os"
	"path/filepath"
	"testing"

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
