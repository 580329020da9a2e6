//go:build release

package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRelease builds one, builds it again elsewhere, and installs the package.
func TestRelease(t *testing.T) {
	first := release(t, "..")
	t.Run("reproducible", func(t *testing.T) { reproducible(t, first) })
	t.Run("bill of materials", func(t *testing.T) { bill(t, first) })
	t.Run("static", func(t *testing.T) { static(t, first) })
	t.Run("bare Debian", func(t *testing.T) { bareDebian(t, first) })
}

// release builds one from the sources in dir.
func release(t *testing.T, dir string) (dist string) {
	t.Helper()
	dist = filepath.Join(t.TempDir(), "dist")
	cmd := exec.CommandContext(t.Context(), "packaging/release.sh", dist)
	cmd.Dir = dir
	run(t, cmd)
	return dist
}

func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// reproducible builds from a copy of the sources in another folder, without a compiler's leftovers.
func reproducible(t *testing.T, first string) {
	clone := filepath.Join(t.TempDir(), "elsewhere")
	run(t, exec.Command("cp", "-r", "..", clone))
	t.Setenv("GOCACHE", t.TempDir())
	second := release(t, clone)
	sums := func(dist string) string {
		text, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if a, b := sums(first), sums(second); a != b || a == "" {
		t.Errorf("two builds differ:\n%s\n%s", a, b)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = first
	run(t, check)
}

// one is the only file that matches.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %v, want one file", pattern, found)
	}
	return found[0]
}

// static: a DPU needs one file.
func static(t *testing.T, dist string) {
	for _, arch := range []string{"amd64", "arm64"} {
		headers := run(t, exec.Command("readelf", "-l", filepath.Join(dist, "dpukv-linux-"+arch)))
		if strings.Contains(headers, "INTERP") {
			t.Errorf("%s: wants a dynamic linker:\n%s", arch, headers)
		}
	}
}

// bareDebian installs the package into a Debian that has nothing else, and measures from there.
func bareDebian(t *testing.T, dist string) {
	if os.Getuid() != 0 {
		t.Skip("not root: the package was not installed into a bare Debian")
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		t.Fatal("found no debootstrap: make test-release installs it")
	}
	bare := filepath.Join(t.TempDir(), "debian")
	run(t, exec.CommandContext(t.Context(), "debootstrap", "--variant=minbase", "bookworm", bare))
	run(t, exec.Command("cp", one(t, filepath.Join(dist, "dpukv_*_amd64.deb")), filepath.Join(bare, "dpukv.deb")))
	// A namespace of its own for mounts and processes: nothing is left behind, however this ends.
	inside := func(script string) string {
		cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--pid", "--fork", "--kill-child",
			"sh", "-euc", `mount -t proc proc "$0/proc"; mount --rbind /sys "$0/sys"; exec chroot "$0" sh -euc "$1"`, bare, script)
		return run(t, cmd)
	}
	inside("dpkg --install /dpukv.deb")
	out := strings.TrimSpace(inside("cd /tmp; dpukv sweep --quick 2>&1"))
	lines := strings.Split(out, "\n")
	folder := lines[len(lines)-1]
	points, err := os.ReadFile(filepath.Join(bare, "tmp", folder, "points.jsonl"))
	if n := strings.Count(string(points), `"status":"ok"`); err != nil || n != 9 {
		t.Errorf("%d points are ok, want 9 (%v)\n%s", n, err, out)
	}
	inside("test -s /usr/share/man/man1/dpukv-sweep.1.gz || grep -q path-exclude /etc/dpkg/dpkg.cfg.d/*; " +
		"grep -q dpukv /usr/share/bash-completion/completions/dpukv; dpukv doctor; dpkg --purge dpukv; test ! -e /usr/bin/dpukv")
}
