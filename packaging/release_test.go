//go:build release

package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
)

// TestRelease builds a release, builds it again elsewhere, and installs the package.
func TestRelease(t *testing.T) {
	first := release(t, "..")
	t.Run("reproducible", func(t *testing.T) { reproducible(t, first) })
	t.Run("bill of materials", func(t *testing.T) { bill(t, first) })
	t.Run("needs", func(t *testing.T) { needs(t, first) })
	t.Run("bare Debian", func(t *testing.T) { bareDebian(t, first) })
}

// release builds a release from the sources in dir.
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

// reproducible builds from a copy of the sources in another folder. What the compiler kept of the
// first build may serve: it keeps by all inputs, and a folder's path is one unless -trimpath is set.
func reproducible(t *testing.T, first string) {
	clone := filepath.Join(t.TempDir(), "elsewhere")
	run(t, exec.Command("cp", "-r", "..", clone))
	second := release(t, clone)
	sums := func(dist string) string {
		text := must.Get(os.ReadFile(filepath.Join(dist, "SHA256SUMS")))(t)
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

// needs checks what the binaries need of a system: one any glibc, the static one nothing. A DPU then
// needs one file, whatever the age of its system.
func needs(t *testing.T, dist string) {
	for arch, loader := range map[string]string{
		"amd64": "/lib64/ld-linux-x86-64.so.2", "arm64": "/lib/ld-linux-aarch64.so.1",
	} {
		file := filepath.Join(dist, "dpukv-linux-"+arch)
		if err := checkNeeds(file, loader, "libc.so.6", "libdl.so.2", "libpthread.so.0"); err != nil {
			t.Error(err)
		}
		if err := checkNeeds(file+"-static", ""); err != nil {
			t.Error(err)
		}
	}
}
