package guest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCannot: a machine without a guest kernel and without the tools to build one reports that.
func TestCannot(t *testing.T) {
	bin := t.TempDir()
	// neither dpkg-query nor apt-get
	for _, name := range []string{"sh", "uname", "id", "grep", "wc", "cut", "cat", "sort"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := Kernel(t.Context(), io.Discard)
	if !errors.Is(err, ErrCannot) {
		t.Fatalf("found %v, want ErrCannot", err)
	}
	for _, reason := range []string{
		"the guest runs on Linux/x86_64", "need root", "no /dev/net/tun",
		"no apt-get to install: linux-source-6.1",
	} {
		if strings.Contains(err.Error(), reason) {
			return
		}
	}
	t.Errorf("found no reason in: %v", err)
}
