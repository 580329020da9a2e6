package machine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

func TestIdentity(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	with := func(id string) root {
		dir := t.TempDir()
		must.Do(t, os.MkdirAll(filepath.Join(dir, "etc"), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, "etc/machine-id"), []byte(id+"\n"), 0o600))
		return root(dir)
	}
	a := identity(with(secret), "alice", "EPYC")
	if len(a) != 16 || strings.Contains(a, secret[:8]) {
		t.Errorf("found the identity %q", a)
	}
	if again := identity(with(secret), "alice", "EPYC"); again != a {
		t.Errorf("found %q, then %q", a, again)
	}
	for name, other := range map[string]string{
		"another machine ID":   identity(with("ff"+secret[2:]), "alice", "EPYC"),
		"another host name":    identity(with(secret), "bob", "EPYC"),
		"another processor":    identity(with(secret), "alice", "Xeon"),
		"without a machine ID": identity(root(t.TempDir()), "alice", "EPYC"),
	} {
		if other == a || other == "" {
			t.Errorf("%s: found the identity %q", name, other)
		}
	}
	if unknown := identity(root(t.TempDir()), "", "EPYC"); unknown != "" {
		t.Errorf("without a name and an ID: found %q", unknown)
	}
}
