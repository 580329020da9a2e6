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

// TestJobEnded: init.sh reports the job's end in the words that Run waits for.
func TestJobEnded(t *testing.T) {
	script, _, _ := strings.Cut(initScript, "/bin/busybox poweroff")
	finish := script[strings.LastIndex(script, "printf"):]
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "(exit 3); "+finish).Output()
	if err != nil {
		t.Fatal(err)
	}
	if status := jobEnded.FindSubmatch(out); status == nil || string(status[1]) != "3" {
		t.Errorf("found %q, want the end of a job with status 3", out)
	}
}
